(* The perceptron and its convergence theorem: what a run is, and what every run must satisfy. Real numbers only. *)
From Separatrix Require Import Numbers Rows.
Open Scope R_scope.

(* ---- Runs ----
   Rows r are vectors of D columns, z = (w, b) is the state of a run, and a row is misclassified if its product with z is
   not above 0. Columns from p on carry the bias: an update adds s r there times g. *)
Inductive algorithm := Perceptron | Gradient.
Inductive step_rule := Fixed (s : R) | Decreasing | LineSearch.
Section Run.
  Variables (D p : Z) (g : R) (rows : list row) (alg : algorithm) (rule : step_rule) (from_row : bool).
  Definition gam (j : Z) : R := if (j <? p)%Z then 1 else g.
  Definition misclassified (z : vec) (r : row) : Prop := dot D (coord r) z <= 0.
  (* The second list holds exactly the misclassified rows of the first. *)
  Inductive picked (z : vec) : list row -> list row -> Prop :=
  | picked_nil : picked z [] []
  | picked_in r l s : misclassified z r -> picked z l s -> picked z (r :: l) (r :: s)
  | picked_out r l s : ~ misclassified z r -> picked z l s -> picked z (r :: l) s.
  (* The rows of one update. *)
  Definition selected (z : vec) (s : list row) : Prop :=
    match alg with
    | Perceptron => exists r, In r rows /\ misclassified z r /\ s = [r]
    | Gradient => picked z rows s /\ s <> []
    end.
  (* The step s of update t, which is of m rows; a line search is clamped. *)
  Definition step_ok (t m : nat) (s : R) : Prop :=
    match rule with
    | Fixed s0 => s = s0
    | Decreasing => s = / sqrt (INR t)
    | LineSearch => 1 <= s * INR m <= INR (length rows)
    end.
  Definition update (z : vec) (s : R) (l : list row) : vec := fun j => z j + s * gam j * lsum (fun r => coord r j) l.
  (* run t z: a run may be at z after t updates. *)
  Inductive run : nat -> vec -> Prop :=
  | run_zero : from_row = false -> run 0 (fun _ => 0)
  | run_row r : from_row = true -> In r rows -> run 0 (update (fun _ => 0) 1 [r])
  | run_step t z s l : run t z -> selected z l -> step_ok (S t) (length l) s -> run (S t) (update z s l).

  (* ---- What every run satisfies ----
     A and B are the sums of sigma_t = s_t m_t and of their squares. *)
  Definition first : R := if from_row then 1 else 0.
  Definition lo (t : nat) : R := match rule with Fixed s => s | Decreasing => / sqrt (INR t) | LineSearch => 1 end.
  Definition most : R := match alg with Perceptron => 1 | Gradient => INR (length rows) end.
  Definition hi (t : nat) : R := match rule with LineSearch => INR (length rows) | _ => most * lo t end.
  Inductive trace : nat -> R -> R -> Prop :=
  | trace_start : trace 0 first first
  | trace_step t A B s : trace t A B -> lo (S t) <= s <= hi (S t) -> trace (S t) (A + s) (B + s * s).

  Variables (u : vec) (M Q : R).
  Hypothesis G : 0 < g \/ (p = D).
  Hypothesis M0 : 0 < M.
  Hypothesis Q0 : 0 <= Q.
  Hypothesis margin : forall r, In r rows -> M <= dot D (coord r) u.
  Hypothesis radius : forall r, In r rows -> sum D (fun j => gam j * coord r j * coord r j) <= Q.
  Hypothesis positive : match rule with Fixed s => 0 < s | _ => True end.

  Definition ip (a b : vec) : R := sum D (fun j => / gam j * a j * b j).
  Lemma gam_pos j : (0 <= j < D)%Z -> 0 < gam j.
  Proof. unfold gam. intros J. destruct (Z.ltb_spec j p); [lra|]. destruct G; [assumption|lia]. Qed.
  Lemma ip_update a z s l : ip a (update z s l) = ip a z + s * lsum (fun r => dot D (coord r) a) l.
  Proof.
    unfold ip, update. rewrite (sum_ext _ _ (fun j => / gam j * a j * z j + s * (lsum (fun r => 1 * coord r j) l * a j))).
    2: { intros j J. pose proof (gam_pos j J).
      rewrite (lsum_ext (fun r => 1 * coord r j) (fun r => coord r j)) by (intros; ring). field. lra. }
    rewrite sum_plus, sum_scale. f_equal. f_equal. fold (dot D (fun j => lsum (fun r => 1 * coord r j) l) a).
    rewrite (dot_combo D (fun _ => 1) coord). apply lsum_ext; intros; ring.
  Qed.
  Lemma ip_sym a b : ip a b = ip b a. Proof. apply sum_ext; intros; ring. Qed.
  Definition norm (v : vec) := sum D (fun j => gam j * v j * v j).
  Lemma norm_plus a b : norm (fun j => a j + b j) = norm a + 2 * sum D (fun j => gam j * a j * b j) + norm b.
  Proof.
    unfold norm. rewrite (sum_ext _ _ (fun j => gam j * a j * a j + (2 * (gam j * a j * b j) + gam j * b j * b j))) by (intros; ring).
    rewrite !sum_plus, sum_scale. ring.
  Qed.
  Lemma norm_nonneg a : 0 <= norm a.
  Proof.
    apply sum_nonneg; intros j J. pose proof (gam_pos j J). rewrite Rmult_assoc. apply Rmult_le_pos; [lra|apply Rsq_nonneg].
  Qed.
  Lemma norm_sum l : (forall r, In r l -> In r rows) -> norm (fun j => lsum (fun r => coord r j) l) <= INR (length l) * INR (length l) * Q.
  Proof.
    induction l as [|r l IH]; intros S.
    - simpl. unfold norm. rewrite (sum_ext _ _ (fun _ => 0)), sum_zero by (intros; ring). lra.
    - cbn [lsum length]. rewrite norm_plus, S_INR. assert (N : norm (coord r) <= Q) by (apply radius, S; left; auto).
      assert (K : norm (fun j => lsum (fun r => coord r j) l) <= INR (length l) * INR (length l) * Q) by (apply IH; intros; apply S; right; auto).
      set (v := fun j => lsum (fun r => coord r j) l) in *. set (m := INR (length l)) in *. assert (0 <= m) by apply pos_INR.
      assert (X : sum D (fun j => gam j * coord r j * v j) <= m * Q).
      { apply le_of_sq; [apply Rmult_le_pos; assumption|].
        eapply Rle_trans; [apply cauchy_weighted; intros j J; apply Rlt_le, gam_pos, J|].
        fold (norm (coord r)). fold (norm v). pose proof (norm_nonneg (coord r)). pose proof (norm_nonneg v).
        replace (m * Q * (m * Q)) with (Q * (m * m * Q)) by ring. apply Rmult_le_compat; assumption. }
      change (norm (fun j => coord r j)) with (norm (coord r)).
      change (sum D (fun j => gam j * coord r j * lsum (fun r0 => coord r0 j) l)) with (sum D (fun j => gam j * coord r j * v j)). lra.
  Qed.
  Lemma ip_self_update z s l : ip (update z s l) (update z s l) =
    ip z z + 2 * s * lsum (fun r => dot D (coord r) z) l + s * s * norm (fun j => lsum (fun r => coord r j) l).
  Proof.
    rewrite ip_update, ip_sym, ip_update.
    rewrite (lsum_ext (fun r => dot D (coord r) (update z s l))
      (fun r => 1 * dot D (coord r) z + s * dot D (coord r) (fun j => gam j * lsum (fun r => coord r j) l))).
    2: { intros r _. unfold dot, update. rewrite <- !sum_scale, <- sum_plus. apply sum_ext; intros; ring. }
    rewrite lsum_plus, !lsum_scale.
    replace (lsum (fun r => dot D (coord r) (fun j => gam j * lsum (fun r0 => coord r0 j) l)) l) with (norm (fun j => lsum (fun r => coord r j) l)).
    - ring.
    - rewrite (lsum_ext _ (fun r => 1 * dot D (coord r) (fun j => gam j * lsum (fun r0 => coord r0 j) l))) by (intros; ring).
      rewrite <- (dot_combo D (fun _ => 1) coord). apply sum_ext; intros j _. cbv beta.
      rewrite (lsum_ext (fun a => 1 * coord a j) (fun a => coord a j)) by (intros; ring). ring.
  Qed.

  Lemma picked_rows z : forall l s, picked z l s -> (length s <= length l)%nat /\ forall r, In r s -> In r l /\ misclassified z r.
  Proof.
    induction 1; simpl; (split; [lia|]); try contradiction; intros r' K.
    - destruct K as [<-|K]; auto. destruct IHpicked as [_ P]. destruct (P r' K); auto.
    - destruct IHpicked as [_ P]. destruct (P r' K); auto.
  Qed.
  Lemma selected_rows z l : selected z l ->
    (forall r, In r l -> In r rows /\ misclassified z r) /\ 1 <= INR (length l) <= most.
  Proof.
    unfold selected, most. destruct alg.
    - intros (r & I & B & ->). split; [|simpl; lra]. intros r' [<-|[]]. auto.
    - intros [P N]. destruct (picked_rows z rows l P) as [L S]. split; auto. apply le_INR in L. split; auto.
      destruct l; [congruence|]. cbn [length]. rewrite S_INR. pose proof (pos_INR (length l)). lra.
  Qed.
  Lemma lo_pos t : (0 < t)%nat -> 0 < lo t.
  Proof.
    intros P. unfold lo. destruct rule; [assumption| |lra]. apply Rinv_0_lt_compat, sqrt_lt_R0, lt_0_INR. assumption.
  Qed.
  Lemma step_size t (l : list row) s : step_ok (S t) (length l) s -> 1 <= INR (length l) <= most -> lo (S t) <= s * INR (length l) <= hi (S t).
  Proof.
    pose proof (lo_pos (S t) (Nat.lt_0_succ t)) as P. unfold step_ok, hi, lo in *. intros K L.
    assert (C : forall v, 0 < v -> v <= v * INR (length l) <= most * v) by (intros v V; nra).
    destruct rule; subst; auto.
  Qed.

  (* Novikoff's two inequalities along any run. *)
  Lemma potentials t z : run t z -> exists A B, trace t A B /\ 0 <= A /\ M * A <= ip u z /\ ip z z <= Q * B.
  Proof.
    assert (Z : forall a, ip a (fun _ => 0) = 0) by (intros; unfold ip; rewrite (sum_ext D _ (fun _ => 0)), sum_zero by (intros; ring); auto).
    induction 1 as [F|r F I|t z s l _ (A & B & TR & A0 & IA & IB) SE ST].
    - exists first, first. split; [constructor|]. unfold first. rewrite F, !Z. lra.
    - exists first, first. split; [constructor|]. unfold first; rewrite F.
      rewrite ip_self_update, ip_update. cbn [lsum].
      assert (Z' : dot D (coord r) (fun _ => 0) = 0) by (unfold dot; rewrite (sum_ext D _ (fun _ => 0)), sum_zero by (intros; ring); auto).
      rewrite !Z, Z'. pose proof (margin r I). pose proof (radius r I) as K.
      assert (E : norm (fun j => coord r j + 0) <= Q).
      { unfold norm. rewrite (sum_ext D _ (fun j => gam j * coord r j * coord r j)) by (intros; ring). assumption. }
      lra.
    - destruct (selected_rows z l SE) as [RO L]. pose proof (step_size t l s ST L) as SS. pose proof (lo_pos (S t) (Nat.lt_0_succ t)) as LP.
      exists (A + s * INR (length l)), (B + s * INR (length l) * (s * INR (length l))). split; [constructor; assumption|].
      assert (S0 : 0 < s) by (destruct (Rle_lt_dec s 0); [assert (s * INR (length l) <= 0) by nra; lra|auto]).
      split; [lra|]. rewrite ip_self_update, ip_update.
      assert (SU : INR (length l) * M <= lsum (fun r => dot D (coord r) u) l).
      { clear - RO margin. induction l; [simpl; lra|]. cbn [length lsum]. rewrite S_INR.
        assert (M <= dot D (coord a) u) by (apply margin, RO; left; auto).
        assert (INR (length l) * M <= lsum (fun r => dot D (coord r) u) l) by (apply IHl; intros; apply RO; right; auto). lra. }
      assert (SZ : lsum (fun r => dot D (coord r) z) l <= 0).
      { clear - RO. induction l; [simpl; lra|]. cbn [lsum]. destruct (RO a (or_introl eq_refl)) as [_ B]. unfold misclassified in B.
        assert (lsum (fun r => dot D (coord r) z) l <= 0) by (apply IHl; intros; apply RO; right; auto). lra. }
      assert (NS := norm_sum l (fun r I => proj1 (RO r I))).
      split.
      + assert (s * (INR (length l) * M) <= s * lsum (fun r => dot D (coord r) u) l) by (apply Rmult_le_compat_l; lra). lra.
      + assert (s * lsum (fun r => dot D (coord r) z) l <= 0) by nra. assert (0 <= s * s) by nra.
        assert (s * s * norm (fun j => lsum (fun r => coord r j) l) <= s * s * (INR (length l) * INR (length l) * Q)) by (apply Rmult_le_compat_l; assumption).
        lra.
  Qed.
  (* The inequality from which each variant's bound follows: (M A)^2 <= U Q B, Q being the squared radius. *)
  Theorem novikoff t z : run t z -> exists A B, trace t A B /\ M * M * (A * A) <= ip u u * Q * B.
  Proof.
    intros H. destruct (potentials t z H) as (A & B & TR & A0 & IA & IB). exists A, B. split; auto.
    pose proof (cauchy_weighted D (fun j => / gam j) u z) as C. cbv beta in C.
    assert (C' : ip u z * ip u z <= ip u u * ip z z) by (apply C; intros j J; apply Rlt_le, Rinv_0_lt_compat, gam_pos, J).
    assert (0 <= ip u u).
    { apply sum_nonneg; intros j J. pose proof (Rinv_0_lt_compat _ (gam_pos j J)). rewrite Rmult_assoc. apply Rmult_le_pos; [lra|apply Rsq_nonneg]. }
    assert (0 <= M * A) by (apply Rmult_le_pos; lra).
    assert (M * A * (M * A) <= ip u z * ip u z) by (apply Rmult_le_compat; assumption).
    assert (ip u u * ip z z <= ip u u * (Q * B)) by (apply Rmult_le_compat_l; assumption). lra.
  Qed.
  Lemma shorter t z : run t z -> forall k, (k <= t)%nat -> exists z', run k z'.
  Proof.
    induction 1 as [F|r F I|t z s l H IH SE ST]; intros k K.
    - assert (k = O) by lia; subst. eexists; constructor; assumption.
    - assert (k = O) by lia; subst. eexists; eapply run_row; eassumption.
    - destruct (Nat.eq_dec k (S t)) as [->|N]; [eexists; econstructor; eassumption|]. apply IH; lia.
  Qed.
End Run.
