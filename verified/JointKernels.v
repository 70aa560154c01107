(* optimal for all classes at once with a kernel: each class has a function of its own in the space of the kernel. *)
From Separatrix Require Import Numbers Rows Duality Kernels Polynomials.
From Separatrix Require Optimal Joint.

(* A row that takes part, its class among 0 .. n - 1, its cost C_i, and (m, beta_im) for other classes m. *)
Record member (A : Type) := Member { at_point : A; own : Z; price : dy; betas : list (Z * dy) }.
Arguments Member {A}. Arguments at_point {A}. Arguments own {A}. Arguments price {A}. Arguments betas {A}.

Section Kernel.
  Variable A : Type.

  (* ---- The statement: C has for each class one coefficient for each point, b its bias ---- *)
  Open Scope R_scope.
  Variable k : A -> A -> R.
  Definition places (s : list (member A)) : list A := map at_point s.
  Definition function (s : list (member A)) (cs : list R) : list (R * A) := combine cs (places s).
  Definition joint_objective (bk : bias_kind) (n : Z) (s : list (member A)) (C : Z -> list R) (b : vec) : R :=
    / 2 * sum n (fun m => product A k (function s (C m)) (function s (C m))) + Joint.joint_penalty bk n b +
    lsum (fun i => dR (price i) * Joint.joint_loss n (fun m => score A k (function s (C m)) (at_point i) + b m) (own i)) s.
  Definition candidates (bk : bias_kind) (n : Z) (s : list (member A)) (C : Z -> list R) (b : vec) : Prop :=
    (forall m, (0 <= m < n)%Z -> length (C m) = length s) /\ Joint.all_allowed bk n b.
  Definition joint_kernel_between bk n s (C : Z -> list R) (b : vec) (lower upper : R) : Prop :=
    (forall i, In i s -> (0 <= own i < n)%Z) /\ candidates bk n s C b /\ joint_objective bk n s C b <= upper /\
    forall C' b', candidates bk n s C' b' -> lower <= joint_objective bk n s C' b'.

  (* ---- The check ---- *)
  Open Scope Z_scope.
  Variable ev : A -> A -> dy * dy.
  (* A_im, its column as a function in the space of the kernel, and the sum of the column. *)
  Definition share (own m : Z) (p : Z * dy) : dy := if m =? own then snd p else if m =? fst p then dneg (snd p) else dzero.
  Definition coef_of (m : Z) (i : member A) : dy := fold_left (fun acc p => dadd acc (share (own i) m p)) (betas i) dzero.
  Definition column (s : list (member A)) (m : Z) : list (dy * A) := map (fun i => (coef_of m i, at_point i)) s.
  Definition sum_of (s : list (member A)) (m : Z) : dy := fold_left (fun acc i => dadd acc (coef_of m i)) s dzero.
  Definition over {T : Type} (f : T -> dy) (l : list T) : dy := fold_left (fun acc m => dadd acc (f m)) l dzero.
  Section Check.
    Variables (bk : bias_kind) (n : Z) (ms : list Z) (B : Z -> Z) (bs : Z) (lower upper : dy) (s : list (member A)).
    Definition bias_at (m : Z) : dy := Dy (B m) bs.
    Definition largest (columns : list (Z * list (dy * A))) (i : member A) : dy :=
      let lead := dsub (dadd (fst (enclose A ev (column s (own i)) (at_point i))) (bias_at (own i))) done in
      fold_left (fun acc mc => let '(m, c) := mc in
        if m =? own i then acc else dmax acc (dsub (dadd (snd (enclose A ev c (at_point i))) (bias_at m)) lead)) columns dzero.
    Definition balanced : bool :=
      match bk with Free => forallb (fun m => deq0 (sum_of s m)) ms | NoBias => forallb (fun m => B m =? 0) ms | Augmented => true end.
    Definition check : bool :=
      let columns := map (fun m => (m, column s m)) ms in
      let half := dhalf (over (fun mc => square_upper A ev (snd mc)) columns) in
      Joint.listed 0 ms n && (0 <=? n) && forallb (fun i => Joint.proper n (own i) (price i) (betas i)) s && balanced &&
      dle (dadd (dadd half (Joint.bias_half bk (over (fun m => dsq (bias_at m)) ms))) (over (fun i => dmul (price i) (largest columns i)) s)) upper &&
      dle lower (dsub (dsub (over (fun i => Joint.total (betas i)) s) half) (Joint.bias_half bk (over (fun m => dsq (sum_of s m)) ms))) &&
      Optimal.sane lower upper.
  End Check.

  (* ---- Soundness ---- *)
  Open Scope R_scope.
  Lemma over_R {T : Type} (f : T -> dy) l : dR (over f l) = lsum (fun i => dR (f i)) l. Proof. apply fold_sum. Qed.
  Lemma listed_sum n f : forall ms m, (0 <= m)%Z -> Joint.listed m ms n = true -> sum m f + lsum f ms = sum n f.
  Proof.
    induction ms as [|c ms IH]; cbn [Joint.listed lsum]; intros m M L; [apply Z.eqb_eq in L; subst; lra|].
    apply andb_prop in L as [C L]. apply Z.eqb_eq in C. subst c. rewrite <- (IH (m + 1)%Z) by (auto; lia).
    unfold sum. replace (Z.to_nat (m + 1)) with (S (Z.to_nat m)) by lia. cbn [sumn]. rewrite Z2Nat.id by lia. ring.
  Qed.
  Lemma listed_all n f ms : Joint.listed 0 ms n = true -> lsum f ms = sum n f.
  Proof. intros L. rewrite <- (listed_sum n f ms 0) by (auto; lia). unfold sum. simpl. ring. Qed.
  Lemma exchange {T : Type} n (g : T -> Z -> R) s : lsum (fun i => sum n (g i)) s = sum n (fun m => lsum (fun i => g i m) s).
  Proof. induction s as [|i s IH]; cbn [lsum]; [symmetry; apply sum_zero|]. rewrite IH, <- sum_plus. reflexivity. Qed.
  (* sum_m A_im f_m = sum_m beta_im (f_own - f_m) *)
  Lemma coef_sum n i f : Joint.in_bounds n (own i) (price i) (betas i) ->
    sum n (fun m => dR (coef_of m i) * f m) = lsum (fun p => dR (snd p) * (f (own i) - f (fst p))) (betas i).
  Proof.
    intros (O & _ & _ & P). unfold coef_of. rewrite (sum_ext n _ (fun m => lsum (fun p => dR (share (own i) m p) * f m) (betas i))).
    2: { intros m _. rewrite fold_sum, Rmult_comm, <- lsum_scale. apply lsum_ext; intros; ring. }
    rewrite <- (exchange n (fun p m => dR (share (own i) m p) * f m)). apply lsum_ext; intros p I. destruct (P p I) as (M & N & _).
    rewrite (sum_ext n _ (fun m => (if (m =? own i)%Z then dR (snd p) * f (own i) else 0) + (if (m =? fst p)%Z then - dR (snd p) * f (fst p) else 0))).
    - rewrite sum_plus, !sum_single by assumption. ring.
    - intros m _. unfold share. destruct (Z.eqb_spec m (own i)), (Z.eqb_spec m (fst p)); subst; try congruence; rewrite ?dneg_R, ?dzero_R; ring.
  Qed.
  Lemma real_column s m : real A (column s m) = function s (map (fun i => dR (coef_of m i)) s).
  Proof. unfold real, column, function, places. induction s as [|i s IH]; [reflexivity|]. cbn [map combine fst snd]. rewrite IH. reflexivity. Qed.
  Lemma in_column s m p : In p (column s m) -> In (snd p) (places s).
  Proof. intros I. apply in_map_iff in I as (i & <- & I). exact (in_map at_point s i I). Qed.
  Lemma in_function s cs p : In p (function s cs) -> In (snd p) (places s).
  Proof. destruct p. intros I. apply in_combine_r in I. assumption. Qed.

  Section Sound.
    Variables (bk : bias_kind) (n : Z) (ms : list Z) (B : Z -> Z) (bs : Z) (lower upper : dy) (s : list (member A)).
    Hypothesis E : enclosed A k ev (places s).
    Hypothesis D : semidefinite A k (places s).
    Hypothesis S : symmetric A k (places s).
    Let C (m : Z) : list R := map (fun i => dR (coef_of m i)) s.
    Let b := weights_R B bs.
    Lemma cross_class cs m : lsum (fun i => dR (coef_of m i) * score A k (function s cs) (at_point i)) s
      <= / 2 * product A k (function s cs) (function s cs) + / 2 * dR (square_upper A ev (column s m)).
    Proof.
      pose proof (square_R A k ev (places s) (column s m) E (in_column s m)) as SQ.
      assert (Q := quadratic A k (places s) (real A (column s m)) (function s cs) (-1) D S).
      assert (RI : forall p, In p (real A (column s m)) -> In (snd p) (places s)) by (rewrite real_column; apply in_function).
      specialize (Q RI (in_function s cs)).
      assert (X : product A k (real A (column s m)) (function s cs) = lsum (fun i => dR (coef_of m i) * score A k (function s cs) (at_point i)) s).
      { rewrite product_score. unfold real, column. rewrite map_map, lsum_map. reflexivity. }
      rewrite X in Q. lra.
    Qed.
    Lemma largest_R i : In i s -> (forall m, (0 <= m < n)%Z -> In m ms) ->
      Joint.joint_loss n (fun m => score A k (function s (C m)) (at_point i) + b m) (own i)
      <= dR (largest B bs s (map (fun m => (m, column s m)) ms) i).
    Proof.
      intros I L. pose proof (in_map at_point s i I) as PI. set (f := fun m => score A k (function s (C m)) (at_point i) + b m).
      assert (EN : forall m, dR (fst (enclose A ev (column s m) (at_point i))) + b m <= f m <= dR (snd (enclose A ev (column s m) (at_point i))) + b m).
      { intros m. unfold f, C. rewrite <- real_column. pose proof (enclose_R A k ev (at_point i) (places s) (column s m) E PI (in_column s m)). lra. }
      unfold largest. set (lead := dsub _ done). assert (LE : dR lead <= f (own i) - 1).
      { unfold lead. rewrite dsub_R, dadd_R, done_R. pose proof (EN (own i)). unfold bias_at. fold (b (own i)). change (dR (Dy (B (own i)) bs)) with (b (own i)). lra. }
      set (g := fun acc (mc : Z * list (dy * A)) => let '(m, c) := mc in
        if (m =? own i)%Z then acc else dmax acc (dsub (dadd (snd (enclose A ev c (at_point i))) (bias_at B bs m)) lead)).
      assert (G : forall l acc, dR acc <= dR (fold_left g (map (fun m => (m, column s m)) l) acc) /\
        forall m, In m l -> m <> own i -> 1 + f m - f (own i) <= dR (fold_left g (map (fun m => (m, column s m)) l) acc)).
      { induction l as [|c l IH]; intros acc; cbn [map fold_left]; [split; [lra | intros m []]|]. destruct (IH (g acc (c, column s c))) as [I1 I2].
        assert (M : dR acc <= dR (g acc (c, column s c))) by (unfold g; destruct (c =? own i)%Z; [lra | apply dmax_R]).
        split; [lra|]. intros m [<-|J] N; [|apply I2; assumption]. eapply Rle_trans; [|exact I1]. unfold g.
        destruct (Z.eqb_spec c (own i)); [contradiction|]. eapply Rle_trans; [|apply dmax_R].
        rewrite dsub_R, dadd_R. pose proof (EN c). change (dR (bias_at B bs c)) with (b c). lra. }
      destruct (G ms dzero) as [G0 G1]. rewrite dzero_R in G0. apply Joint.maxn_lub; [assumption|].
      intros m M. unfold Joint.excess. destruct (Z.eqb_spec m (own i)); [assumption|]. apply G1; [apply L; lia | assumption].
    Qed.

    Theorem joint_kernel_sound : check bk n ms B bs lower upper s = true -> joint_kernel_between bk n s C b (dR lower) (dR upper).
    Proof.
      unfold check. cbv zeta. intros H. apply andb_prop in H as [H _]. apply andb_prop in H as [H LO]. apply andb_prop in H as [H UP].
      apply andb_prop in H as [H BA]. apply andb_prop in H as [H PR]. apply andb_prop in H as [LI N0]. apply Z.leb_le in N0. apply dle_R in LO, UP.
      pose proof (Joint.listed_in n ms 0 LI) as L. rewrite forallb_forall in PR.
      assert (F : forall i, In i s -> Joint.in_bounds n (own i) (price i) (betas i)) by (intros i I; apply Joint.proper_R, PR; assumption).
      set (Q := sum n (fun m => dR (square_upper A ev (column s m)))).
      assert (HQ : dR (over (fun mc => square_upper A ev (snd mc)) (map (fun m => (m, column s m)) ms)) = Q).
      { rewrite over_R, lsum_map. cbn [snd]. apply listed_all; assumption. }
      rewrite !dadd_R, dhalf_R, HQ, Joint.bias_half_R, !over_R in UP. rewrite !dsub_R, dhalf_R, HQ, Joint.bias_half_R, !over_R in LO.
      rewrite (listed_all n) in UP, LO by assumption.
      split; [intros i I; apply (F i I)|]. split; [split; [intros; apply map_length|] | split].
      - intros m M. unfold balanced in BA. destruct bk; simpl; auto. rewrite forallb_forall in BA. specialize (BA m (L m M)).
        apply Z.eqb_eq in BA. unfold b, weights_R. apply man_zero. exact BA.
      - unfold joint_objective. eapply Rle_trans; [|exact UP]. apply Rplus_le_compat; [apply Rplus_le_compat|].
        + apply Rmult_le_compat_l; [lra|]. apply sum_le; intros m _. unfold C. rewrite <- real_column.
          apply (square_R A k ev (places s)); [assumption | apply in_column].
        + unfold Joint.joint_penalty, dot. destruct bk; try lra. right. f_equal. apply sum_ext; intros. rewrite dsq_R. reflexivity.
        + apply lsum_le; intros i I. rewrite dmul_R. apply Rmult_le_compat_l; [apply Rlt_le, (F i I) | apply largest_R; assumption].
      - intros C' b' [_ AL]. unfold joint_objective. set (f := fun m i => score A k (function s (C' m)) (at_point i)).
        assert (BB : lsum (fun i => lsum (fun p => dR (snd p) * (1 - ((f (own i) i + b' (own i)) - (f (fst p) i + b' (fst p))))) (betas i)) s
          <= lsum (fun i => dR (price i) * Joint.joint_loss n (fun m => f m i + b' m) (own i)) s).
        { apply lsum_le; intros i I. destruct (F i I) as (_ & _ & TO & PP). apply (Joint.beta_bound n (fun m => f m i + b' m)); assumption. }
        rewrite (lsum_ext _ (fun i => dR (Joint.total (betas i)) +
          -1 * (sum n (fun m => dR (coef_of m i) * f m i) + sum n (fun m => dR (coef_of m i) * b' m)))) in BB.
        2: { intros i I. rewrite (coef_sum n i (fun m => f m i) (F i I)), (coef_sum n i b' (F i I)), Joint.total_R.
             rewrite <- lsum_plus, <- lsum_scale, <- lsum_plus. apply lsum_ext; intros; ring. }
        rewrite lsum_plus, lsum_scale, lsum_plus in BB.
        rewrite (exchange n (fun i m => dR (coef_of m i) * f m i)), (exchange n (fun i m => dR (coef_of m i) * b' m)) in BB.
        assert (YW : sum n (fun m => lsum (fun i => dR (coef_of m i) * f m i) s)
          <= / 2 * sum n (fun m => product A k (function s (C' m)) (function s (C' m))) + / 2 * Q).
        { unfold Q. rewrite <- !sum_scale, <- sum_plus. apply sum_le; intros m _. apply cross_class. }
        assert (SB : forall m, lsum (fun i => dR (coef_of m i) * b' m) s = dR (sum_of s m) * b' m).
        { intros m. unfold sum_of. rewrite fold_sum, Rmult_comm, <- lsum_scale. apply lsum_ext; intros; ring. }
        rewrite (sum_ext n (fun m => lsum (fun i => dR (coef_of m i) * b' m) s) (fun m => dR (sum_of s m) * b' m)) in BB by (intros; apply SB).
        assert (YB : sum n (fun m => dR (sum_of s m) * b' m) <= Joint.joint_penalty bk n b' +
          match bk with Augmented => / 2 * sum n (fun m => dR (dsq (sum_of s m))) | _ => 0 end).
        { unfold Joint.joint_penalty. unfold balanced in BA. destruct bk.
          - rewrite (sum_ext n _ (fun _ => 0)), sum_zero; [lra|]. intros m M. rewrite forallb_forall in BA. rewrite (deq0_R _ (BA m (L m M))). ring.
          - pose proof (young n (fun m => dR (sum_of s m)) b') as Y. unfold dot at 1 2 in Y.
            rewrite (sum_ext n (fun m => dR (dsq (sum_of s m))) (fun m => dR (sum_of s m) * dR (sum_of s m))) by (intros; apply dsq_R). lra.
          - rewrite (sum_ext n _ (fun _ => 0)), sum_zero; [lra|]. intros m M. rewrite (AL m M). ring. }
        unfold f in BB, YW. destruct bk; lra.
    Qed.
  End Sound.
End Kernel.

(* ---- The check with a named kernel: without a condition where the kernel is a polynomial of Polynomials.v ---- *)
Section Answer.
  Variables (h : nat) (d : Z) (K : kernel) (outside_ends : Z -> point -> point -> dy * dy) (outside_value : Z -> point -> point -> R).
  Definition lifted (raw : list (member row)) : list (member point) :=
    map (fun i => Member (point_of h (at_point i)) (own i) (price i) (betas i)) raw.
  (* The rows alone, as Polynomials.v has them. *)
  Definition bare (raw : list (member row)) : list (sample row) := map (fun i => Kernels.Sample row (at_point i) 0%Z dzero dzero dzero) raw.
  Definition joint_answer bk n ms B bs lower upper raw : answer :=
    judge h d K (bare raw) (check point (ends_of outside_ends K) bk n ms B bs lower upper (lifted raw)).
  Theorem joint_answer_sound bk n ms B bs lower upper raw : let s := lifted raw in
    proves h d K outside_ends outside_value (joint_answer bk n ms B bs lower upper raw) (bare raw)
      (joint_kernel_between point (value d outside_value K) bk n s (fun m => map (fun i => dR (coef_of point m i)) s) (weights_R B bs) (dR lower) (dR upper)).
  Proof.
    intros s. apply proves_intro. intros H. replace (points point (samples_of h (bare raw))) with (places point s).
    - intros (E & D & S). exact (joint_kernel_sound point (value d outside_value K) (ends_of outside_ends K) bk n ms B bs lower upper s E D S H).
    - unfold s, places, lifted, points, samples_of, bare. rewrite !map_map. reflexivity.
  Qed.
End Answer.
