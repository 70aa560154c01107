(* optimal and inseparable with a kernel: weak duality where the kernel is positive semidefinite on the points, from
   enclosures of its values. Which kernels have both is the matter of Polynomials.v. *)
From Separatrix Require Import Numbers Duality.
From Separatrix Require Optimal.

Section Kernel.
  Variable A : Type.

  (* ---- Statements: k is a kernel, a list of (coefficient, point) the function sum_j c_j k(., x_j) ---- *)
  Open Scope R_scope.
  Variable k : A -> A -> R.
  Definition product (l m : list (R * A)) : R := lsum (fun p => lsum (fun q => fst p * fst q * k (snd p) (snd q)) m) l.
  Definition score (l : list (R * A)) (x : A) : R := lsum (fun q => fst q * k x (snd q)) l.
  Record sample := Sample { pt : A; y : Z; cost : dy; alpha : dy; coef : dy }.
  Definition points (s : list sample) : list A := map pt s.
  Definition semidefinite (pts : list A) : Prop := forall l, (forall p, In p l -> In (snd p) pts) -> 0 <= product l l.
  Definition symmetric (pts : list A) : Prop := forall x z, In x pts -> In z pts -> k x z = k z x.
  (* A candidate: one coefficient for each point, and b. *)
  Definition candidate (s : list sample) (cs : list R) := combine cs (points s).
  Definition objective (l : loss_kind) (bk : bias_kind) (s : list sample) (cs : list R) (b : R) : R :=
    let c := candidate s cs in
    / 2 * product c c + penalty bk b + lsum (fun i => dR (cost i) * loss l (IZR (y i) * (score c (pt i) + b))) s.
  Definition optimum_between l bk s (cs : list R) (b lower upper : R) : Prop :=
    length cs = length s /\ allowed bk b /\ objective l bk s cs b <= upper /\
    forall cs' b', length cs' = length s -> allowed bk b' -> lower <= objective l bk s cs' b'.
  (* The hard margin: every row has y (f(x) + b) >= 1. *)
  Definition feasible (s : list sample) cs b := forall i, In i s -> 1 <= IZR (y i) * (score (candidate s cs) (pt i) + b).
  Definition hard_between bk s (cs : list R) (b lower upper : R) : Prop :=
    let square cs b := / 2 * product (candidate s cs) (candidate s cs) + penalty bk b in
    length cs = length s /\ allowed bk b /\ feasible s cs b /\ square cs b <= upper /\
    forall cs' b', length cs' = length s -> allowed bk b' -> feasible s cs' b' -> lower <= square cs' b'.
  Definition contradiction (bias : bool) (s : list sample) : Prop :=
    ~ exists cs b, length cs = length s /\ (bias = false -> b = 0) /\ forall i, In i s -> 0 < IZR (y i) * (score (candidate s cs) (pt i) + b).

  (* ---- The check ---- *)
  Open Scope Z_scope.
  Variable ev : A -> A -> dy * dy.
  Definition enclose (l : list (dy * A)) (x : A) : dy * dy :=
    fold_left (fun e cz => let '(lo, hi) := e in let '(c, z) := cz in
      if man c =? 0 then e else let '(n, f) := ev x z in
      if 0 <? man c then (dadd lo (dmul c n), dadd hi (dmul c f)) else (dadd lo (dmul c f), dadd hi (dmul c n))) l (dzero, dzero).
  (* At least, and at most, the square of sum_j c_j phi(x_j). *)
  Definition square_upper (l : list (dy * A)) : dy :=
    fold_left (fun acc cx => let '(c, x) := cx in if man c =? 0 then acc else
      let '(lo, hi) := enclose l x in dadd acc (dmul c (if 0 <? man c then hi else lo))) l dzero.
  Definition square_lower (l : list (dy * A)) : dy :=
    fold_left (fun acc cx => let '(c, x) := cx in if man c =? 0 then acc else
      let '(lo, hi) := enclose l x in dadd acc (dmul c (if 0 <? man c then lo else hi))) l dzero.
  Definition own (s : list sample) : list (dy * A) := map (fun i => (coef i, pt i)) s.
  Definition signed (s : list sample) : list (dy * A) := map (fun i => (dscale (y i) (alpha i), pt i)) s.
  (* At least 1 - y (f(x) + b). *)
  Definition slack_upper (c : list (dy * A)) (b : dy) (i : sample) : dy :=
    let '(lo, hi) := enclose c (pt i) in dsub done (dscale (y i) (dadd (if 0 <? y i then lo else hi) b)).
  Definition imbalance_of (s : list sample) : dy := fold_left (fun acc i => dadd acc (dscale (y i) (alpha i))) s dzero.
  Definition bias_term bk v := Optimal.bias_term bk v.
  Definition primal_square bk s b := dadd (dhalf (square_upper (own s))) (bias_term bk b).
  Definition dual_bound bk (gain : sample -> dy) s :=
    dsub (dsub (fold_left (fun acc i => dadd acc (gain i)) s dzero) (dhalf (square_upper (signed s)))) (bias_term bk (imbalance_of s)).
  Definition check (l : loss_kind) (bk : bias_kind) (b lower upper : dy) (s : list sample) : bool :=
    let c := own s in
    forallb (fun i => Optimal.side (y i) && Optimal.bounded l (cost i) (alpha i)) s && Optimal.balanced bk b (imbalance_of s) &&
    dle (dadd (primal_square bk s b) (fold_left (fun acc i => dadd acc (Optimal.cost_of l (cost i) (slack_upper c b i))) s dzero)) upper &&
    dle lower (dual_bound bk (fun i => Optimal.gain_of l (cost i) (alpha i)) s) && Optimal.sane lower upper.
  Definition check_hard (bk : bias_kind) (b lower upper : dy) (s : list sample) : bool :=
    let c := own s in
    forallb (fun i => Optimal.side (y i) && (0 <=? man (alpha i)) && (man (slack_upper c b i) <=? 0)) s && Optimal.balanced bk b (imbalance_of s) &&
    dle (primal_square bk s b) upper && dle lower (dual_bound bk alpha s) && Optimal.sane lower upper.
  Definition check_contradiction (bias : bool) (s : list sample) : bool :=
    forallb (fun i => Optimal.side (y i) && (0 <=? man (alpha i))) s && existsb (fun i => 0 <? man (alpha i)) s &&
    (negb bias || deq0 (imbalance_of s)) && deq0 (square_lower (signed s)) && deq0 (square_upper (signed s)).

  (* ---- Soundness ---- *)
  Open Scope R_scope.
  Definition real (l : list (dy * A)) : list (R * A) := map (fun cx => (dR (fst cx), snd cx)) l.
  Definition enclosed (pts : list A) := forall x z, In x pts -> In z pts -> dR (fst (ev x z)) <= k x z <= dR (snd (ev x z)).
  Lemma lsum_map {B C} (f : C -> R) (g : B -> C) l : lsum f (map g l) = lsum (fun b => f (g b)) l.
  Proof. induction l; simpl; auto. rewrite IHl; reflexivity. Qed.
  Lemma product_score l m : product l m = lsum (fun p => fst p * score m (snd p)) l.
  Proof. apply lsum_ext; intros p _. unfold score. rewrite <- lsum_scale. apply lsum_ext; intros; ring. Qed.
  Lemma product_app l l' m : product (l ++ l') m = product l m + product l' m. Proof. apply lsum_app. Qed.
  Lemma product_app_r l m m' : product l (m ++ m') = product l m + product l m'.
  Proof. rewrite !product_score, <- lsum_plus. apply lsum_ext; intros. unfold score. rewrite lsum_app. ring. Qed.
  Lemma product_sym pts l m : symmetric pts -> (forall p, In p l -> In (snd p) pts) -> (forall p, In p m -> In (snd p) pts) -> product l m = product m l.
  Proof.
    intros S L M. unfold product. revert L. induction l as [|p l IH]; intros L; cbn [lsum].
    - clear. induction m; simpl; lra.
    - rewrite IH by (intros; apply L; right; auto). rewrite <- lsum_plus. apply lsum_ext; intros q Q.
      rewrite (S (snd p) (snd q)); [ring | apply L; left; reflexivity | apply M; assumption].
  Qed.
  Definition times (t : R) (l : list (R * A)) := map (fun p => (t * fst p, snd p)) l.
  Lemma product_times t l m : product (times t l) m = t * product l m.
  Proof. unfold times. rewrite !product_score, lsum_map, <- lsum_scale. apply lsum_ext; intros; simpl; ring. Qed.
  Lemma product_times_r t l m : product l (times t m) = t * product l m.
  Proof.
    rewrite !product_score, <- lsum_scale. apply lsum_ext; intros p _. unfold score, times. rewrite lsum_map. cbn [fst snd].
    rewrite (lsum_ext _ (fun q => t * (fst q * k (snd p) (snd q)))) by (intros; ring). rewrite lsum_scale. ring.
  Qed.
  Lemma quadratic pts l m t : semidefinite pts -> symmetric pts -> (forall p, In p l -> In (snd p) pts) -> (forall p, In p m -> In (snd p) pts) ->
    0 <= product l l * t * t + 2 * product l m * t + product m m.
  Proof.
    intros D S L M. assert (L' : forall p, In p (times t l ++ m) -> In (snd p) pts).
    { intros p P. apply in_app_or in P as [P|P]; auto. apply in_map_iff in P as (p' & <- & P). apply (L p' P). }
    pose proof (D _ L') as Q. rewrite product_app, !product_app_r, !product_times, !product_times_r in Q.
    rewrite (product_sym pts m l) in Q by assumption. lra.
  Qed.
  Lemma enclose_gen x pts : enclosed pts -> In x pts -> forall l e, (forall p, In p l -> In (snd p) pts) ->
    let e' := fold_left (fun e cz => let '(lo, hi) := e in let '(c, z) := cz in
      if (man c =? 0)%Z then e else let '(n, f) := ev x z in
      if (0 <? man c)%Z then (dadd lo (dmul c n), dadd hi (dmul c f)) else (dadd lo (dmul c f), dadd hi (dmul c n))) l e in
    dR (fst e') <= dR (fst e) + score (real l) x /\ dR (snd e) + score (real l) x <= dR (snd e').
  Proof.
    intros E X. unfold score, real. induction l as [|[c z] l IH]; intros [lo hi] P; [simpl; lra|].
    cbn [fold_left map lsum fst snd]. specialize (E x z X (P (c, z) (or_introl eq_refl))). destruct (ev x z) as [n f]. simpl in E.
    set (e1 := if (man c =? 0)%Z then _ else _).
    assert (B : dR (fst e1) <= dR lo + dR c * k x z /\ dR hi + dR c * k x z <= dR (snd e1)).
    { unfold e1. destruct (Z.eqb_spec (man c) 0) as [Z0|NZ]; [simpl; rewrite (man_zero _ Z0); lra|].
      destruct (Z.ltb_spec 0 (man c)) as [C|C]; simpl; rewrite !dadd_R, !dmul_R.
      - apply man_pos in C. assert (dR c * dR n <= dR c * k x z) by (apply Rmult_le_compat_l; lra).
        assert (dR c * k x z <= dR c * dR f) by (apply Rmult_le_compat_l; lra). lra.
      - apply man_neg in C. assert (dR c * dR f <= dR c * k x z) by (apply Rmult_le_compat_neg_l; lra).
        assert (dR c * k x z <= dR c * dR n) by (apply Rmult_le_compat_neg_l; lra). lra. }
    destruct (IH e1 (fun p I => P p (or_intror I))) as [IL IH']. lra.
  Qed.
  Lemma enclose_R x pts l : enclosed pts -> In x pts -> (forall p, In p l -> In (snd p) pts) ->
    dR (fst (enclose l x)) <= score (real l) x <= dR (snd (enclose l x)).
  Proof. intros E X P. destruct (enclose_gen x pts E X l (dzero, dzero) P) as [L H]. simpl fst in L. simpl snd in H. rewrite dzero_R in *. unfold enclose. lra. Qed.
  Lemma square_R pts l : enclosed pts -> (forall p, In p l -> In (snd p) pts) ->
    dR (square_lower l) <= product (real l) (real l) <= dR (square_upper l).
  Proof.
    intros E P. rewrite product_score. unfold square_lower, square_upper.
    assert (G : forall m a b, (forall p, In p m -> In (snd p) pts) ->
      dR (fold_left (fun acc cx => let '(c, x) := cx in if (man c =? 0)%Z then acc else let '(lo, hi) := enclose l x in dadd acc (dmul c (if (0 <? man c)%Z then lo else hi))) m a)
        <= dR a + lsum (fun p => fst p * score (real l) (snd p)) (real m) /\
      dR b + lsum (fun p => fst p * score (real l) (snd p)) (real m)
        <= dR (fold_left (fun acc cx => let '(c, x) := cx in if (man c =? 0)%Z then acc else let '(lo, hi) := enclose l x in dadd acc (dmul c (if (0 <? man c)%Z then hi else lo))) m b)).
    { induction m as [|[c x] m IH]; intros a b M; [simpl; lra|]. cbn [fold_left real map lsum fst snd].
      pose proof (enclose_R x pts l E (M (c, x) (or_introl eq_refl)) P) as B. destruct (enclose l x) as [lo hi]. simpl in B.
      destruct (IH (if (man c =? 0)%Z then a else dadd a (dmul c (if (0 <? man c)%Z then lo else hi)))
                   (if (man c =? 0)%Z then b else dadd b (dmul c (if (0 <? man c)%Z then hi else lo))) (fun p I => M p (or_intror I))) as [I1 I2].
      fold (real m) in *. set (sc := score (real l) x) in *.
      destruct (Z.eqb_spec (man c) 0) as [Z0|NZ]; [rewrite (man_zero _ Z0); lra|]. rewrite !dadd_R, !dmul_R in *.
      destruct (Z.ltb_spec 0 (man c)) as [C|C].
      - apply man_pos in C. assert (dR c * dR lo <= dR c * sc <= dR c * dR hi) by (split; apply Rmult_le_compat_l; lra). lra.
      - apply man_neg in C. assert (dR c * dR hi <= dR c * sc <= dR c * dR lo) by (split; apply Rmult_le_compat_neg_l; lra). lra. }
    destruct (G l dzero dzero P) as [G1 G2]. rewrite dzero_R in *. lra.
  Qed.
  Lemma fold_sum {B} (f : B -> dy) l : dR (fold_left (fun acc i => dadd acc (f i)) l dzero) = lsum (fun i => dR (f i)) l.
  Proof.
    assert (G : forall a, dR (fold_left (fun acc i => dadd acc (f i)) l a) = dR a + lsum (fun i => dR (f i)) l).
    { induction l; intros a0; simpl; [lra|]. rewrite IHl, dadd_R. lra. }
    rewrite G, dzero_R. lra.
  Qed.
  Lemma in_points (s : list sample) (f : sample -> dy) p : In p (map (fun i => (f i, pt i)) s) -> In (snd p) (points s).
  Proof. intros I. apply in_map_iff in I as (i & <- & I). exact (in_map pt s i I). Qed.
  Lemma in_candidate s cs p : In p (candidate s cs) -> In (snd p) (points s).
  Proof. destruct p as [c x]. intros I. apply in_combine_r in I. assumption. Qed.
  Lemma real_own s : real (own s) = candidate s (map (fun i => dR (coef i)) s).
  Proof. induction s; simpl; auto. unfold real, own, candidate, points in *. simpl. rewrite IHs; reflexivity. Qed.
  Lemma slack_upper_R s b i : enclosed (points s) -> In i s -> IZR (y i) * IZR (y i) = 1 ->
    1 - IZR (y i) * (score (real (own s)) (pt i) + dR b) <= dR (slack_upper (own s) b i).
  Proof.
    intros E I Y. pose proof (enclose_R (pt i) (points s) (own s) E (in_map pt s i I) (in_points s coef)) as B. unfold slack_upper.
    destruct (enclose (own s) (pt i)) as [lo hi]. simpl in B. rewrite dsub_R, done_R, dscale_R, dadd_R.
    destruct (Z.ltb_spec 0 (y i)) as [P|P]; apply IZR_lt in P || apply IZR_le in P; nra.
  Qed.
  Lemma cost_of_mono l c s m : 1 - m <= dR s -> 0 <= dR c -> dR c * loss l m <= dR (Optimal.cost_of l c s).
  Proof.
    intros S C. rewrite (Optimal.cost_of_R l c s (1 - dR s)) by (auto; lra). apply Rmult_le_compat_l; [assumption|].
    assert (slack m <= slack (1 - dR s)) by (unfold slack; apply Rle_max_compat_l; lra). pose proof (slack_pos m).
    destruct l; simpl; [assumption|]. apply Rmult_le_compat; assumption.
  Qed.
  Lemma signed_score s m : lsum (fun i => dR (alpha i) * IZR (y i) * score m (pt i)) s = product (real (signed s)) m.
  Proof. rewrite product_score. unfold real, signed. rewrite map_map, lsum_map. apply lsum_ext; intros; cbn [fst snd]. rewrite dscale_R. ring. Qed.
  Lemma cross s cs : semidefinite (points s) -> symmetric (points s) ->
    lsum (fun i => dR (alpha i) * IZR (y i) * score (candidate s cs) (pt i)) s
    <= / 2 * product (candidate s cs) (candidate s cs) + / 2 * product (real (signed s)) (real (signed s)).
  Proof.
    intros D S. rewrite signed_score.
    pose proof (quadratic (points s) (real (signed s)) (candidate s cs) (-1) D S) as Q.
    assert (0 <= product (real (signed s)) (real (signed s)) * -1 * -1 + 2 * product (real (signed s)) (candidate s cs) * -1 + product (candidate s cs) (candidate s cs)).
    { apply Q; [|apply in_candidate]. intros p P. unfold real in P. apply in_map_iff in P as (q & <- & P). apply (in_points s _ q P). }
    lra.
  Qed.
  Lemma imbalance_R s : dR (imbalance_of s) = imbalance (fun i => IZR (y i)) (fun i => dR (alpha i)) s.
  Proof. unfold imbalance_of, imbalance. rewrite fold_sum. apply lsum_ext; intros. rewrite dscale_R. ring. Qed.

  Section Sound.
    Variables (bk : bias_kind) (b lower upper : dy) (s : list sample).
    Hypothesis E : enclosed (points s).
    Hypothesis D : semidefinite (points s).
    Hypothesis S : symmetric (points s).
    Let cs := map (fun i => dR (coef i)) s.
    Lemma primal_square_R : / 2 * product (candidate s cs) (candidate s cs) + penalty bk (dR b) <= dR (primal_square bk s b).
    Proof.
      unfold primal_square, bias_term. rewrite dadd_R, dhalf_R, Optimal.bias_term_R. unfold cs. rewrite <- real_own.
      pose proof (square_R (points s) (own s) E (in_points s coef)). unfold penalty. destruct bk; lra.
    Qed.
    Lemma dual_bound_R gain : dR (dual_bound bk gain s) <=
      dual_value (fun i => IZR (y i)) (fun i => dR (alpha i)) (fun i => dR (alpha i) - dR (gain i)) s bk (product (real (signed s)) (real (signed s))).
    Proof.
      unfold dual_bound, dual_value, bias_term. rewrite !dsub_R, dhalf_R, Optimal.bias_term_R, fold_sum, imbalance_R.
      pose proof (square_R (points s) (signed s) E (in_points s _)).
      rewrite (lsum_ext (fun i => dR (alpha i) - (dR (alpha i) - dR (gain i))) (fun i => dR (gain i))) by (intros; ring). destruct bk; lra.
    Qed.
    Lemma balanced_allowed : Optimal.balanced bk b (imbalance_of s) = true ->
      allowed bk (dR b) /\ (bk = Free -> imbalance (fun i => IZR (y i)) (fun i => dR (alpha i)) s = 0).
    Proof.
      unfold Optimal.balanced. rewrite <- imbalance_R. intros H. split; [destruct bk; simpl; auto; apply deq0_R; assumption|].
      intros ->. apply deq0_R; assumption.
    Qed.
    Theorem kernel_optimal_sound l : check l bk b lower upper s = true -> optimum_between l bk s cs (dR b) (dR lower) (dR upper).
    Proof.
      unfold check. intros H. apply andb_prop in H as [H _]. apply andb_prop in H as [H LO]. apply andb_prop in H as [H UP]. apply andb_prop in H as [H BA].
      apply dle_R in LO, UP. rewrite forallb_forall in H. destruct (balanced_allowed BA) as [AL FR].
      assert (F : forall i, In i s -> IZR (y i) * IZR (y i) = 1 /\ 0 <= dR (alpha i) /\ 0 < dR (cost i) /\
        match l with Hinge => dR (alpha i) <= dR (cost i) /\ 0 <= Optimal.quotient_of_dy l (cost i) (alpha i)
                | Squared => dR (alpha i) * dR (alpha i) <= 4 * dR (cost i) * Optimal.quotient_of_dy l (cost i) (alpha i) end).
      { intros i I. specialize (H i I). apply andb_prop in H as [SI BO]. split; [apply Optimal.side_R; assumption|]. apply Optimal.bounded_R; assumption. }
      split; [apply map_length|]. split; [assumption|]. split.
      - unfold objective. eapply Rle_trans; [|exact UP]. rewrite dadd_R, fold_sum. pose proof primal_square_R.
        assert (lsum (fun i => dR (cost i) * loss l (IZR (y i) * (score (candidate s cs) (pt i) + dR b))) s
          <= lsum (fun i => dR (Optimal.cost_of l (cost i) (slack_upper (own s) b i))) s).
        { apply lsum_le; intros i I. destruct (F i I) as (Y & _ & C & _). apply cost_of_mono; [|lra]. unfold cs. rewrite <- real_own. apply slack_upper_R; assumption. }
        lra.
      - intros cs' b' LC AL'. unfold objective. eapply Rle_trans; [exact LO|]. eapply Rle_trans; [apply dual_bound_R|].
        apply weak_duality; auto; [apply cross; assumption|]. intros i I. destruct (F i I) as (_ & X & Y & Z). auto.
    Qed.
    Theorem kernel_hard_sound : check_hard bk b lower upper s = true -> hard_between bk s cs (dR b) (dR lower) (dR upper).
    Proof.
      unfold check_hard. intros H. apply andb_prop in H as [H _]. apply andb_prop in H as [H LO]. apply andb_prop in H as [H UP]. apply andb_prop in H as [H BA].
      apply dle_R in LO, UP. rewrite forallb_forall in H. destruct (balanced_allowed BA) as [AL FR].
      assert (F : forall i, In i s -> IZR (y i) * IZR (y i) = 1 /\ 0 <= dR (alpha i) /\ dR (slack_upper (own s) b i) <= 0).
      { intros i I. specialize (H i I). apply andb_prop in H as [H SL]. apply andb_prop in H as [SI AN]. apply Z.leb_le in AN, SL.
        split; [apply Optimal.side_R; assumption|]. split; [apply man_nonneg; assumption | apply man_neg; assumption]. }
      split; [apply map_length|]. split; [assumption|]. split; [|split].
      - intros i I. destruct (F i I) as (Y & _ & SL). pose proof (slack_upper_R s b i E I Y). unfold cs. rewrite <- real_own. lra.
      - pose proof primal_square_R. lra.
      - intros cs' b' LC AL' FE. eapply Rle_trans; [exact LO|]. eapply Rle_trans; [apply dual_bound_R|].
        apply (weak_duality_hard (fun i => IZR (y i)) (fun i => dR (alpha i)) (fun i => dR (alpha i) - dR (alpha i)) s (fun i => score (candidate s cs') (pt i))); auto.
        + apply cross; assumption.
        + intros i I. destruct (F i I) as (_ & X & _). split; [assumption|]. split; [ring|]. apply FE; assumption.
    Qed.
    Theorem kernel_contradiction_sound bias : check_contradiction bias s = true -> contradiction bias s.
    Proof.
      unfold check_contradiction. intros H [cs' [b' (LC & B0 & P)]]. apply andb_prop in H as [H U0]. apply andb_prop in H as [H L0].
      apply andb_prop in H as [H BA]. apply andb_prop in H as [H EX]. rewrite forallb_forall in H. apply existsb_exists in EX as (i & I & EX).
      apply deq0_R in U0, L0. pose proof (square_R (points s) (signed s) E (in_points s _)) as SQ.
      set (l := real (signed s)) in *. set (m := candidate s cs') in *.
      assert (PQ : product l m * product l m <= product l l * product m m).
      { apply quadratic_cauchy; [lra|]. intros t. apply (quadratic (points s)); auto; [|apply in_candidate].
        intros p PP. unfold l, real in PP. apply in_map_iff in PP as (q & <- & PP). apply (in_points s _ q PP). }
      assert (Z0 : product l l = 0) by lra. rewrite Z0, Rmult_0_l in PQ. assert (PZ : product l m = 0) by (pose proof (Rsq_nonneg (product l m)); nra).
      assert (AN : forall i, In i s -> 0 <= dR (alpha i)).
      { intros j J. specialize (H j J). apply andb_prop in H as [_ H]. apply Z.leb_le in H. apply man_nonneg; assumption. }
      assert (0 < lsum (fun i => dR (alpha i) * (IZR (y i) * (score m (pt i) + b'))) s).
      { apply lsum_pos.
        - intros j J. apply Rmult_le_pos; [auto|]. apply Rlt_le, P; assumption.
        - exists i. split; [assumption|]. apply Z.ltb_lt, man_pos in EX. apply Rmult_lt_0_compat; auto. }
      assert (BZ : imbalance (fun i => IZR (y i)) (fun i => dR (alpha i)) s * b' = 0).
      { rewrite <- imbalance_R. destruct bias; simpl in BA; [apply deq0_R in BA; rewrite BA; ring | rewrite B0 by reflexivity; ring]. }
      rewrite (lsum_ext _ (fun i => dR (alpha i) * IZR (y i) * score m (pt i) + b' * (dR (alpha i) * IZR (y i)))) in H0 by (intros; ring).
      rewrite lsum_plus, lsum_scale, signed_score in H0. fold l in H0. unfold imbalance in BZ. lra.
    Qed.
  End Sound.
End Kernel.
