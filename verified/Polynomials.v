(* Kernels that a certificate may name: exact values of polynomials, positive semidefiniteness of those with coefficients
   that are not negative, and kernels from outside (exp and tanh), whose enclosures are a hypothesis. *)
From Separatrix Require Import Numbers Rows Trees Kernels.
From Separatrix Require Optimal.
Open Scope Z_scope.

(* A point: a row, and the same by column. *)
Definition point := (row * tree)%type.
Definition point_of (h : nat) (r : row) : point := (r, add_row h Empty done r).
Inductive kernel := Linear | Poly (q : nat) (g c : dy) | Sum (a b : kernel) | Product (a b : kernel) | Scaled (f : dy) (a : kernel) | Outside (n : Z).
Fixpoint dpow (a : dy) (q : nat) : dy := match q with O => done | S q' => dmul a (dpow a q') end.
Definition ends (a b : dy * dy) : dy * dy :=
  let '(p, q) := a in let '(r, s) := b in
  let pr := dmul p r in let ps := dmul p s in let qr := dmul q r in let qs := dmul q s in
  (dmin (dmin pr ps) (dmin qr qs), dmax (dmax pr ps) (dmax qr qs)).
(* The kernel is a polynomial in products of rows, with coefficients that are not negative. *)
Fixpoint definite (K : kernel) : bool :=
  match K with
  | Linear => true
  | Poly _ g c => (0 <=? man g) && (0 <=? man c)
  | Sum a b | Product a b => definite a && definite b
  | Scaled f a => (0 <=? man f) && definite a
  | Outside _ => false
  end.
Fixpoint exact (K : kernel) : bool :=
  match K with Outside _ => false | Sum a b | Product a b => exact a && exact b | Scaled _ a => exact a | _ => true end.

Section Values.
  Variables (h : nat) (d : Z).
  Variable outside_value : Z -> point -> point -> R.
  Variable outside_ends : Z -> point -> point -> dy * dy.
  Fixpoint ends_of (K : kernel) (x z : point) : dy * dy :=
    match K with
    | Linear => let v := tdot (fst x) (snd z) in (v, v)
    | Poly q g c => let v := dpow (dadd (dmul g (tdot (fst x) (snd z))) c) q in (v, v)
    | Sum a b => let '(p, q) := ends_of a x z in let '(r, s) := ends_of b x z in (dadd p r, dadd q s)
    | Product a b => ends (ends_of a x z) (ends_of b x z)
    | Scaled f a => ends (f, f) (ends_of a x z)
    | Outside n => outside_ends n x z
    end.
  Open Scope R_scope.
  Definition inner (x z : point) : R := dot d (coord (fst x)) (coord (fst z)).
  Fixpoint value (K : kernel) (x z : point) : R :=
    match K with
    | Linear => inner x z
    | Poly q g c => (dR g * inner x z + dR c) ^ q
    | Sum a b => value a x z + value b x z
    | Product a b => value a x z * value b x z
    | Scaled f a => dR f * value a x z
    | Outside n => outside_value n x z
    end.
  Definition valid (p : point) : Prop := inside d (fst p) = true /\ forall c, (0 <= c < d)%Z -> T (snd p) c = coord (fst p) c.
  Lemma point_of_valid r : (d <= cap h)%Z -> inside d r = true -> valid (point_of h r).
  Proof.
    intros D I. split; [assumption|]. destruct (add_row_spec h d D done r Empty (fits_empty h) I) as [_ E]. intros c C. simpl.
    rewrite E, T_empty, done_R by lia. lra.
  Qed.
  Lemma tdot_inner x z : valid x -> valid z -> dR (tdot (fst x) (snd z)) = inner x z.
  Proof. intros [X _] [_ Z]. rewrite tdot_R. unfold inner. rewrite dot_coord by assumption. apply (rsum_ext d); assumption. Qed.
  Lemma dpow_R a q : dR (dpow a q) = dR a ^ q.
  Proof. induction q; simpl; [apply done_R|]. rewrite dmul_R, IHq. reflexivity. Qed.
  Lemma ends_R a b u v : dR (fst a) <= u <= dR (snd a) -> dR (fst b) <= v <= dR (snd b) -> dR (fst (ends a b)) <= u * v <= dR (snd (ends a b)).
  Proof.
    destruct a as [p q], b as [r s]. simpl. intros U V.
    set (pr := dmul p r). set (ps := dmul p s). set (qr := dmul q r). set (qs := dmul q s).
    destruct (dmin_R (dmin pr ps) (dmin qr qs)), (dmin_R pr ps), (dmin_R qr qs), (dmax_R (dmax pr ps) (dmax qr qs)), (dmax_R pr ps), (dmax_R qr qs).
    unfold pr, ps, qr, qs in *. rewrite !dmul_R in *. split.
    - destruct (Rle_lt_dec 0 v).
      + assert (dR p * v <= u * v) by (apply Rmult_le_compat_r; lra). destruct (Rle_lt_dec 0 (dR p)); [assert (dR p * dR r <= dR p * v) by (apply Rmult_le_compat_l; lra) | assert (dR p * dR s <= dR p * v) by (apply Rmult_le_compat_neg_l; lra)]; lra.
      + assert (dR q * v <= u * v) by (rewrite !(Rmult_comm _ v); apply Rmult_le_compat_neg_l; lra). destruct (Rle_lt_dec 0 (dR q)); [assert (dR q * dR r <= dR q * v) by (apply Rmult_le_compat_l; lra) | assert (dR q * dR s <= dR q * v) by (apply Rmult_le_compat_neg_l; lra)]; lra.
    - destruct (Rle_lt_dec 0 v).
      + assert (u * v <= dR q * v) by (apply Rmult_le_compat_r; lra). destruct (Rle_lt_dec 0 (dR q)); [assert (dR q * v <= dR q * dR s) by (apply Rmult_le_compat_l; lra) | assert (dR q * v <= dR q * dR r) by (apply Rmult_le_compat_neg_l; lra)]; lra.
      + assert (u * v <= dR p * v) by (rewrite !(Rmult_comm _ v); apply Rmult_le_compat_neg_l; lra). destruct (Rle_lt_dec 0 (dR p)); [assert (dR p * v <= dR p * dR s) by (apply Rmult_le_compat_l; lra) | assert (dR p * v <= dR p * dR r) by (apply Rmult_le_compat_neg_l; lra)]; lra.
  Qed.
  Lemma ends_of_R K pts : (forall p, In p pts -> valid p) ->
    (exact K = true \/ forall n, enclosed point (outside_value n) (outside_ends n) pts) -> enclosed point (value K) (ends_of K) pts.
  Proof.
    intros V H x z X Z. pose proof (tdot_inner x z (V x X) (V z Z)) as E.
    induction K as [|q g c|a IA b IB|a IA b IB|f a IA|n]; cbn [ends_of value exact] in *.
    - simpl. rewrite E; lra.
    - cbv zeta. cbn [fst snd]. rewrite dpow_R, dadd_R, dmul_R, E. lra.
    - assert (HA : exact a = true \/ forall n, enclosed point (outside_value n) (outside_ends n) pts) by (destruct H as [H|H]; [apply andb_prop in H; tauto | auto]).
      assert (HB : exact b = true \/ forall n, enclosed point (outside_value n) (outside_ends n) pts) by (destruct H as [H'|H']; [apply andb_prop in H'; tauto | auto]).
      specialize (IA HA). specialize (IB HB). destruct (ends_of a x z), (ends_of b x z). simpl in *. rewrite !dadd_R. lra.
    - assert (HA : exact a = true \/ forall n, enclosed point (outside_value n) (outside_ends n) pts) by (destruct H as [H|H]; [apply andb_prop in H; tauto | auto]).
      assert (HB : exact b = true \/ forall n, enclosed point (outside_value n) (outside_ends n) pts) by (destruct H as [H'|H']; [apply andb_prop in H'; tauto | auto]).
      apply ends_R; auto.
    - apply ends_R; [simpl; lra | auto].
    - destruct H as [H|H]; [discriminate|]. apply H; assumption.
  Qed.
  Lemma value_symmetric K pts : (exact K = true \/ forall n, symmetric point (outside_value n) pts) -> symmetric point (value K) pts.
  Proof.
    intros H x z X Z. assert (S : inner x z = inner z x) by apply dot_sym.
    induction K as [|q g c|a IA b IB|a IA b IB|f a IA|n]; cbn [value exact] in *; try (rewrite S; reflexivity); auto.
    - rewrite IA, IB; auto; destruct H as [H|H]; auto; apply andb_prop in H; tauto.
    - rewrite IA, IB; auto; destruct H as [H|H]; auto; apply andb_prop in H; tauto.
    - rewrite IA; auto.
    - destruct H as [H|H]; [discriminate | apply H; assumption].
  Qed.

  (* A kernel with finitely many features is positive semidefinite; sums, products and multiples of such have features. *)
  Definition features (k : point -> point -> R) : Prop := exists L : list (point -> R), forall x z, k x z = lsum (fun f => f x * f z) L.
  Lemma features_linear : features inner.
  Proof.
    exists (map (fun j x => coord (fst x) (Z.of_nat j)) (seq 0 (Z.to_nat d))). intros x z. unfold inner, dot, sum.
    induction (Z.to_nat d) as [|n IH]; [reflexivity|]. rewrite seq_S, map_app, lsum_app, <- IH. cbn [sumn map lsum]. simpl Nat.add. ring.
  Qed.
  Lemma features_const c : 0 <= c -> features (fun _ _ => c).
  Proof. intros C. exists [fun _ => sqrt c]. intros x z. simpl. rewrite sqrt_sqrt by assumption. ring. Qed.
  Lemma features_plus a b : features a -> features b -> features (fun x z => a x z + b x z).
  Proof. intros [L A] [M B]. exists (L ++ M). intros x z. rewrite lsum_app, A, B. reflexivity. Qed.
  Lemma features_times a b : features a -> features b -> features (fun x z => a x z * b x z).
  Proof.
    intros [L A] [M B]. exists (flat_map (fun f => map (fun g x => f x * g x) M) L). intros x z. rewrite A, B. clear A B.
    induction L as [|f L IH]; [simpl; ring|]. cbn [lsum flat_map]. rewrite lsum_app, Rmult_plus_distr_r.
    f_equal.
    - clear. rewrite <- lsum_scale. induction M as [|g M IH]; simpl; [reflexivity|]. rewrite IH. ring.
    - exact IH.
  Qed.
  Lemma features_power a q : features a -> features (fun x z => a x z ^ q).
  Proof.
    intros A. induction q; simpl; [apply features_const; lra|]. apply features_times; assumption.
  Qed.
  Lemma definite_features K : definite K = true -> features (value K).
  Proof.
    induction K as [|q g c|a IA b IB|a IA b IB|f a IA|n]; cbn [definite value]; intros H; try discriminate; try (apply andb_prop in H as [H1 H2]).
    - apply features_linear.
    - apply Z.leb_le, man_nonneg in H1, H2. apply (features_power (fun x z => dR g * inner x z + dR c)).
      apply features_plus; [|apply features_const; assumption]. apply features_times; [apply features_const; assumption | apply features_linear].
    - apply features_plus; auto.
    - apply features_times; auto.
    - apply Z.leb_le, man_nonneg in H1. apply features_times; [apply features_const; assumption | auto].
  Qed.
  Theorem definite_sound K pts : definite K = true -> semidefinite point (value K) pts.
  Proof.
    intros H. destruct (definite_features K H) as [L E]. intros l _. unfold product.
    rewrite (lsum_ext _ (fun p => lsum (fun q => fst p * fst q * lsum (fun f => f (snd p) * f (snd q)) L) l))
      by (intros; apply lsum_ext; intros; rewrite E; reflexivity).
    clear E. induction L as [|f L IH].
    - rewrite (lsum_ext _ (fun _ => 0)), lsum_zero; [lra|]. intros p _. rewrite (lsum_ext _ (fun _ => 0)) by (intros; simpl; ring). apply lsum_zero.
    - rewrite (lsum_ext _ (fun p => (lsum (fun q => fst q * f (snd q)) l) * (fst p * f (snd p)) + lsum (fun q => fst p * fst q * lsum (fun f => f (snd p) * f (snd q)) L) l)).
      + rewrite lsum_plus, lsum_scale. pose proof (Rsq_nonneg (lsum (fun q => fst q * f (snd q)) l)). lra.
      + intros p _. rewrite Rmult_comm, <- lsum_scale, <- lsum_plus. apply lsum_ext; intros q _. cbn [lsum]. ring.
  Qed.
End Values.

(* ---- The checks with a named kernel, and what they prove: without a condition where the kernel is such a polynomial ---- *)
Inductive answer := Refused | Conditional | Unconditional.
Section Answers.
  Variables (h : nat) (d : Z) (K : kernel) (outside_ends : Z -> point -> point -> dy * dy).
  Definition lift (i : sample row) : sample point :=
    Kernels.Sample point (point_of h (pt row i)) (y row i) (cost row i) (alpha row i) (coef row i).
  Definition samples_of (raw : list (sample row)) : list (sample point) := map lift raw.
  Definition ready (raw : list (sample row)) : bool :=
    ((0 <=? d) && (d <=? cap h) && forallb (fun i => inside d (pt row i)) raw)%Z.
  Definition judge (raw : list (sample row)) (accepted : bool) : answer :=
    if ready raw && accepted then if definite K then Unconditional else Conditional else Refused.
  Let ev := ends_of outside_ends K.
  Definition optimal_answer l bk b lower upper raw := judge raw (check point ev l bk b lower upper (samples_of raw)).
  Definition hard_answer bk b lower upper raw := judge raw (check_hard point ev bk b lower upper (samples_of raw)).
  Definition contradiction_answer bias raw := judge raw (check_contradiction point ev bias (samples_of raw)).

  (* The hypotheses of a conditional answer. *)
  Variable outside_value : Z -> point -> point -> R.
  Definition granted (raw : list (sample row)) : Prop :=
    let pts := points point (samples_of raw) in
    (forall n, enclosed point (outside_value n) (outside_ends n) pts) /\ (forall n, symmetric point (outside_value n) pts) /\
    semidefinite point (value d outside_value K) pts.
  Let k := value d outside_value K.
  Definition premises (pts : list point) := enclosed point k ev pts /\ semidefinite point k pts /\ symmetric point k pts.
  Lemma ready_valid raw : ready raw = true -> forall p, In p (points point (samples_of raw)) -> valid d p.
  Proof.
    unfold ready, points, samples_of. intros H p P. apply andb_prop in H as [H I]. apply andb_prop in H as [_ D]. apply Z.leb_le in D.
    rewrite map_map in P. apply in_map_iff in P as (i & <- & P). rewrite forallb_forall in I. apply point_of_valid; auto.
  Qed.
  Lemma definite_exact K' : definite K' = true -> exact K' = true.
  Proof. induction K'; simpl; intros H; try (apply andb_prop in H as [H1 H2]); try (apply andb_true_intro; split); auto. Qed.
  Lemma judged raw ok : judge raw ok = Unconditional \/ (judge raw ok = Conditional /\ granted raw) ->
    ok = true /\ premises (points point (samples_of raw)).
  Proof.
    unfold judge. destruct (ready raw) eqn:R; simpl; [|intros [H|[H _]]; discriminate].
    destruct ok; [|intros [H|[H _]]; discriminate]. pose proof (ready_valid raw R) as V. intros H. split; [reflexivity|].
    destruct (definite K) eqn:D.
    - pose proof (definite_exact K D). split; [apply ends_of_R; auto|]. split; [apply definite_sound; assumption | apply value_symmetric; auto].
    - destruct H as [H|[_ (E & S & P)]]; [discriminate|]. split; [apply ends_of_R; auto|]. split; [assumption | apply value_symmetric; auto].
  Qed.
  Definition proves (a : answer) (raw : list (sample row)) (claim : Prop) : Prop :=
    (a = Unconditional -> claim) /\ (a = Conditional -> granted raw -> claim).
  Lemma proves_intro raw ok (claim : Prop) : (ok = true -> premises (points point (samples_of raw)) -> claim) -> proves (judge raw ok) raw claim.
  Proof.
    intros H. split; [intros J | intros J G].
    - destruct (judged raw ok (or_introl J)); auto.
    - destruct (judged raw ok (or_intror (conj J G))); auto.
  Qed.
  Theorem optimal_answer_sound l bk b lower upper raw : let s := samples_of raw in
    proves (optimal_answer l bk b lower upper raw) raw
      (optimum_between point k l bk s (map (fun i => dR (coef point i)) s) (dR b) (dR lower) (dR upper)).
  Proof. intros s. apply proves_intro. intros H (E & D & S). apply (kernel_optimal_sound point k ev); assumption. Qed.
  Theorem hard_answer_sound bk b lower upper raw : let s := samples_of raw in
    proves (hard_answer bk b lower upper raw) raw
      (hard_between point k bk s (map (fun i => dR (coef point i)) s) (dR b) (dR lower) (dR upper)).
  Proof. intros s. apply proves_intro. intros H (E & D & S). apply (kernel_hard_sound point k ev); assumption. Qed.
  Theorem contradiction_answer_sound bias raw :
    proves (contradiction_answer bias raw) raw (contradiction point k bias (samples_of raw)).
  Proof. apply proves_intro. intros H (E & D & S). apply (kernel_contradiction_sound point k ev); assumption. Qed.
End Answers.
