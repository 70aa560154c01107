(* The bound of each variant of the perceptron, from the inequality den A^2 <= num B of every run (Convergence.v). *)
From Separatrix Require Import Numbers Rows Convergence.
Open Scope Z_scope.

(* ---- The check: does the theorem of the variant exclude K + 1 updates? rho = num / den. ---- *)
Inductive rule := FixedStep (s : dy) | DecreasingStep | LineSearchStep.
Definition ten10 := 10000000000.
Definition ln2_10 := 6931471806. (* at least 10^10 ln 2 *)
Definition excluded (alg : algorithm) (r : rule) (from_row : bool) (n K : Z) (num den : dy) : bool :=
  let k := K + 1 in
  let e := if from_row then 1 else 0 in
  let most := match alg with Perceptron => 1 | Gradient => n end in
  let gradient (s : dy) :=
    let low := if from_row then dmin done s else s in
    let high := if from_row then dmax done (dscale n s) else dscale n s in
    dlt (dmul (dsq (dadd low high)) num) (dmul (dscale (4 * (k + e)) (dmul low high)) den) in
  match r with
  | FixedStep s =>
    (0 <? man s) &&
    match alg with
    | Gradient => gradient s
    | Perceptron =>
      if from_row then
        let a := dadd done (dscale k s) in
        dle (dmul num s) (dscale 2 (dmul a den)) && dlt (dmul num (dadd done (dscale k (dsq s)))) (dmul (dsq a) den)
      else dlt num (dscale k den)
    end
  | LineSearchStep => match alg with Gradient => gradient done | Perceptron => false end
  | DecreasingStep =>
    let root := Dy (Z.sqrt (Z.shiftl (k + 1) 128)) (-64) in
    let total := dadd (dscale 2 (dsub root done)) (dZ e) in
    let j := Z.log2 k in
    let log10 := dadd (dZ (ln2_10 * j - ten10)) (Dy (ten10 * k) (- j)) in
    let squares := dadd (dscale (most * most) (dadd (dZ ten10) log10)) (dZ (e * ten10)) in
    (0 <? man total) &&
    (dlt (dscale most num) (dmul total den) || dlt (dmul num squares) (dscale ten10 (dmul (dsq total) den)))
  end.

(* ---- Soundness ---- *)
Open Scope R_scope.
Lemma exp_series x n : 0 <= x -> sum_f_R0 (fun i => / INR (fact i) * x ^ i) n <= exp x.
Proof.
  intros X. unfold exp. destruct (exist_exp x) as [l L]; simpl. apply (growing_ineq (fun N => sum_f_R0 (fun i => / INR (fact i) * x ^ i) N)).
  - intros m. rewrite tech5. assert (0 <= / INR (fact (S m)) * x ^ S m); [|lra].
    apply Rmult_le_pos; [apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0 | apply pow_le; assumption].
  - exact L.
Qed.
Lemma ln_le a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. intros A [B|B]; [apply Rlt_le, ln_increasing; assumption | subst; lra]. Qed.
Lemma ln_above a : 0 < a -> ln a <= a - 1.
Proof. intros A. pose proof (exp_ineq1_le (ln a)) as H. rewrite exp_ln in H by assumption. lra. Qed.
(* exp(x) = exp(x / 16)^16, and seven terms of the series of exp(x / 16). *)
Lemma ln2_bound : ln 2 <= 6931471806 / 10000000000.
Proof.
  rewrite <- (ln_exp (6931471806 / 10000000000)). apply ln_le; [lra|].
  set (x := 6931471806 / 160000000000).
  replace (6931471806 / 10000000000) with (8 * x + 8 * x) by (unfold x; lra).
  assert (E : forall v, exp (v + v) = exp v * exp v) by (intros; apply exp_plus).
  replace (8 * x) with (4 * x + 4 * x) by ring. replace (4 * x) with (2 * x + 2 * x) by ring. replace (2 * x) with (x + x) by ring.
  rewrite !E. assert (L : 104427378242750 / 100000000000000 <= exp x).
  { eapply Rle_trans; [|apply (exp_series x 6); unfold x; lra]. unfold x. simpl. lra. }
  set (c := 104427378242750 / 100000000000000) in *. set (e := exp x) in *. assert (0 < c) by (unfold c; lra).
  assert (P : forall u v, 0 < u -> u <= v -> u * u <= v * v) by (intros; nra).
  assert (Q : forall u, 0 < u -> 0 < u * u) by (intros; nra).
  eapply Rle_trans; [|apply P; [|apply P; [|apply P; [|apply P; [|exact L]]]]]; auto 10. unfold c; lra.
Qed.

Section Bounds.
  Variables (rows : list row) (alg : algorithm) (from_row : bool).
  Let e := first from_row.
  Lemma first_cases : e = 0 \/ e = 1. Proof. unfold e, first. destruct from_row; auto. Qed.
  Lemma fixed_trace s t A B : trace rows Perceptron (Fixed s) from_row t A B -> A = e + s * INR t /\ B = e + s * s * INR t.
  Proof.
    induction 1 as [|t A B v _ [IA IB] H]; [simpl; fold e; lra|]. unfold hi, most, lo in H. rewrite S_INR, IA, IB.
    assert (v = s) by lra. subst; split; ring.
  Qed.
  (* Kantorovich: every sigma lies between a and h. *)
  Lemma constant_trace r a h t A B : trace rows alg r from_row t A B -> (forall t, a <= lo r t /\ hi rows alg r t <= h) ->
    (e = 1 -> a <= 1 <= h) -> B <= (a + h) * A - (INR t + e) * (a * h) /\ (INR t + e) * a <= A.
  Proof.
    intros T H E. assert (Q : forall v, a <= v <= h -> v * v <= (a + h) * v - a * h).
    { intros v V. assert (0 <= (v - a) * (h - v)) by (apply Rmult_le_pos; lra). lra. }
    induction T as [|t A B v _ [IA IB] V].
    - fold e. simpl. destruct first_cases as [Z|Z]; rewrite Z in *; [lra|]. pose proof (Q 1 (E eq_refl)). specialize (E eq_refl). lra.
    - destruct (H (S t)). pose proof (Q v ltac:(lra)). rewrite S_INR. lra.
  Qed.
  Lemma kantorovich num den a h k A B : 0 < a -> a <= h -> 0 <= num -> 0 < den -> 0 < k -> den * (A * A) <= num * B ->
    B <= (a + h) * A - k * (a * h) -> k * a <= A -> (a + h) * (a + h) * num < 4 * k * (a * h) * den -> False.
  Proof.
    intros A0 AH N D K I BB AA X. assert (0 < k * a) by (apply Rmult_lt_0_compat; assumption). assert (0 < A) by lra.
    assert (0 < den * (A * A)) by (apply Rmult_lt_0_compat; [|apply Rmult_lt_0_compat]; assumption).
    assert (N' : 0 < num) by (destruct (Rle_lt_or_eq_dec _ _ N) as [?|Z]; [assumption | rewrite <- Z in I; lra]).
    assert (J : den * (A * A) <= num * ((a + h) * A - k * (a * h))).
    { eapply Rle_trans; [exact I|]. apply Rmult_le_compat_l; assumption. }
    pose proof (Rsq_nonneg (2 * den * A - num * (a + h))) as S.
    assert (0 < num * (4 * k * (a * h) * den - (a + h) * (a + h) * num)) by (apply Rmult_lt_0_compat; lra).
    assert (4 * den * (den * (A * A)) <= 4 * den * (num * ((a + h) * A - k * (a * h)))) by (apply Rmult_le_compat_l; lra).
    lra.
  Qed.

  (* Decreasing steps: sums of 1 / sqrt t and of 1 / t. *)
  Lemma root_step t : 2 * (sqrt (INR (S t) + 1) - sqrt (INR t + 1)) <= / sqrt (INR (S t)).
  Proof.
    rewrite S_INR. pose proof (pos_INR t) as P. set (v := INR t + 1) in *. assert (V : 0 < v) by (unfold v; lra).
    pose proof (sqrt_lt_R0 v V) as S. pose proof (sqrt_lt_R0 (v + 1) ltac:(lra)) as S1.
    pose proof (sqrt_sqrt v ltac:(lra)). pose proof (sqrt_sqrt (v + 1) ltac:(lra)).
    set (a := sqrt v) in *. set (c := sqrt (v + 1)) in *. apply Rmult_le_reg_l with a; [assumption|]. rewrite Rinv_r by lra.
    pose proof (Rsq_nonneg (c - a)). lra.
  Qed.
  Lemma ln_step t : (0 < t)%nat -> / INR (S t) <= ln (INR (S t)) - ln (INR t).
  Proof.
    intros T. assert (0 < INR t) by (apply lt_0_INR; assumption). rewrite S_INR.
    pose proof (ln_above (INR t / (INR t + 1)) ltac:(apply Rdiv_lt_0_compat; lra)) as L.
    unfold Rdiv in L. rewrite ln_mult in L by (try apply Rinv_0_lt_compat; lra). rewrite ln_Rinv in L by lra.
    assert (INR t * / (INR t + 1) - 1 = - / (INR t + 1)) by (field; lra). lra.
  Qed.
  Let m := most rows alg.
  Lemma decreasing_trace t A B : trace rows alg Decreasing from_row t A B -> 1 <= m ->
    e + 2 * (sqrt (INR t + 1) - 1) <= A /\ B <= m * A /\ B <= e + m * m * match t with O => 0 | _ => 1 + ln (INR t) end.
  Proof.
    intros T M. induction T as [|t A B v _ (IA & IB & IC) V].
    - fold e. simpl INR. rewrite Rplus_0_l, sqrt_1. split; [lra|]. split; [destruct first_cases as [Z|Z]; rewrite Z; lra | lra].
    - unfold hi in V. fold m in V. unfold lo in V. pose proof (root_step t) as RS.
      assert (SP : 0 < INR (S t)) by (apply lt_0_INR; lia). pose proof (sqrt_lt_R0 _ SP) as SQ. pose proof (sqrt_sqrt _ (Rlt_le _ _ SP)) as SS.
      set (a := sqrt (INR (S t))) in *. pose proof (Rinv_0_lt_compat _ SQ) as IP.
      assert (A1 : 1 <= INR (S t)) by (rewrite S_INR; pose proof (pos_INR t); lra).
      assert (A2 : / a <= 1). { apply Rmult_le_reg_l with a; [assumption|]. rewrite Rinv_r by lra. nra. }
      assert (VM : v <= m) by (apply Rle_trans with (m * / a); [lra|nra]).
      split; [|split].
      + rewrite <- S_INR in RS |- *. lra.
      + assert (v * v <= m * v) by nra. lra.
      + assert (VV : v * v <= m * m * / INR (S t)).
        { replace (m * m * / INR (S t)) with (m * / a * (m * / a)) by (rewrite <- SS; field; lra). apply Rmult_le_compat; lra. }
        assert (MM : 0 < m * m) by nra.
        destruct t as [|t].
        * change (INR 1) with 1 in *. rewrite ln_1, Rinv_1 in *. lra.
        * pose proof (ln_step (S t) ltac:(lia)) as LS.
          assert (m * m * / INR (S (S t)) <= m * m * (ln (INR (S (S t))) - ln (INR (S t)))) by (apply Rmult_le_compat_l; lra). lra.
  Qed.
  Lemma ln_count k j : (1 <= k)%Z -> (0 <= j)%Z -> ln (IZR k) <= IZR j * (6931471806 / 10000000000) + IZR k * powerRZ 2 (- j) - 1.
  Proof.
    intros K J. apply IZR_le in K. apply IZR_le in J as J'. pose proof (pow2_pos j) as P. pose proof (pow2_pos (- j)) as P'.
    assert (PJ : ln (powerRZ 2 j) = IZR j * ln 2).
    { rewrite <- (Z2Nat.id j) by assumption. rewrite <- pow_powerRZ, <- Rpower_pow by lra. unfold Rpower. rewrite ln_exp, INR_IZR_INZ. reflexivity. }
    assert (PP : powerRZ 2 (- j) * powerRZ 2 j = 1) by (rewrite <- pow2_add; replace (- j + j)%Z with 0%Z by lia; reflexivity).
    pose proof (ln_above (IZR k * powerRZ 2 (- j)) ltac:(apply Rmult_lt_0_compat; lra)) as L.
    replace (IZR k) with (IZR k * powerRZ 2 (- j) * powerRZ 2 j) at 1 by (rewrite Rmult_assoc, PP; ring).
    rewrite ln_mult by (try apply Rmult_lt_0_compat; lra). rewrite PJ.
    assert (IZR j * ln 2 <= IZR j * (6931471806 / 10000000000)) by (apply Rmult_le_compat_l; [assumption | apply ln2_bound]). lra.
  Qed.
End Bounds.

(* What a rule of the check stands for. *)
Definition rule_R (r : rule) : step_rule :=
  match r with FixedStep s => Fixed (dR s) | DecreasingStep => Decreasing | LineSearchStep => LineSearch end.

Theorem excluded_sound rows alg r from_row K num den A B :
  (0 <= K)%Z -> (1 <= length rows)%nat -> 0 <= dR num -> 0 < dR den ->
  excluded alg r from_row (Z.of_nat (length rows)) K num den = true ->
  trace rows alg (rule_R r) from_row (Z.to_nat (K + 1)) A B -> dR den * (A * A) <= dR num * B -> False.
Proof.
  intros K0 N0 NUM DEN X TR I. unfold excluded in X. set (n := Z.of_nat (length rows)) in *.
  assert (IN : IZR n = INR (length rows)) by (unfold n; rewrite <- INR_IZR_INZ; reflexivity).
  assert (N1 : 1 <= INR (length rows)) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (IK : INR (Z.to_nat (K + 1)) = IZR (K + 1)) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  set (k := (K + 1)%Z) in *. assert (K1 : 1 <= IZR k) by (apply (IZR_le 1); lia).
  set (e := if from_row then 1%Z else 0%Z) in *.
  assert (EF : IZR e = first from_row) by (unfold e, first; destruct from_row; reflexivity).
  assert (E0 : 0 <= IZR e <= 1) by (rewrite EF; unfold first; destruct from_row; lra).
  assert (GR : forall s, 0 < dR s -> (forall t, dR s <= lo (rule_R r) t /\ hi rows alg (rule_R r) t <= IZR n * dR s) ->
    let low := if from_row then dmin done s else s in
    let high := if from_row then dmax done (dscale n s) else dscale n s in
    dlt (dmul (dsq (dadd low high)) num) (dmul (dscale (4 * (k + e)) (dmul low high)) den) = true -> False).
  { intros s S0 H low high L. apply dlt_R in L. rewrite !dmul_R, dsq_R, dadd_R, dscale_R, dmul_R, mult_IZR, plus_IZR in L.
    assert (LO : 0 < dR low /\ dR low <= dR s /\ (from_row = true -> dR low <= 1)).
    { unfold low. destruct from_row; [|lra]. destruct (dmin_R done s) as [M1 M2]. rewrite done_R in M1. split; [|lra].
      unfold dmin. destruct (dle done s); [rewrite done_R; lra | assumption]. }
    assert (HI : IZR n * dR s <= dR high /\ (from_row = true -> 1 <= dR high)).
    { unfold high. rewrite <- dscale_R. destruct from_row; [|lra]. destruct (dmax_R done (dscale n s)) as [M1 M2]. rewrite done_R in M1. lra. }
    assert (dR s <= IZR n * dR s) by nra.
    destruct (constant_trace rows alg from_row (rule_R r) (dR low) (dR high) _ A B TR) as [C1 C2].
    - intros t. destruct (H t). lra.
    - intros F. assert (from_row = true) by (unfold first in F; destruct from_row; [auto|lra]). destruct LO as (? & ? & LO), HI as (? & HI). auto.
    - rewrite IK, <- EF in C1, C2.
      apply (kantorovich (dR num) (dR den) (dR low) (dR high) (IZR k + IZR e) A B); try assumption; try lra. }
  destruct r as [s| |]; cbn [rule_R] in *.
  - apply andb_prop in X as [S0 X]. apply Z.ltb_lt in S0.
    apply man_pos in S0 as SP.
    destruct alg.
    + destruct (fixed_trace rows from_row (dR s) _ A B TR) as [EA EB]. rewrite IK, <- EF in EA, EB. unfold e in *.
      destruct from_row.
      * apply andb_prop in X as [_ X]. apply dlt_R in X. rewrite !dmul_R, dsq_R, !dadd_R, !dscale_R, done_R, dsq_R in X. subst A B. lra.
      * apply dlt_R in X. rewrite dscale_R in X. subst A B.
        assert (0 < dR s * dR s * IZR k) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; assumption | lra]).
        assert (dR s * dR s * IZR k * (IZR k * dR den - dR num) <= 0) by lra. nra.
    + apply (GR s); auto. intros t. unfold hi, lo, most. rewrite IN. lra.
  - cbv zeta in X. apply andb_prop in X as [T0 X]. apply Z.ltb_lt in T0.
    set (root := Dy (Z.sqrt (Z.shiftl (k + 1) 128)) (-64)) in *.
    assert (RT : dR root <= sqrt (IZR k + 1)).
    { unfold root, dR; cbn [man ex]. set (q := Z.sqrt (Z.shiftl (k + 1) 128)).
      assert (Q : (q * q <= Z.shiftl (k + 1) 128)%Z) by (apply Z.sqrt_spec, Z.shiftl_nonneg; lia).
      apply IZR_le in Q. rewrite mult_IZR, shiftl_R, plus_IZR in Q by lia.
      assert (Q0 : 0 <= IZR q) by (apply (IZR_le 0), Z.sqrt_nonneg).
      pose proof (pow2_pos (-64)) as P. apply Rsqr_incr_0_var; [|apply sqrt_pos]. unfold Rsqr. rewrite sqrt_sqrt by lra.
      replace (IZR q * powerRZ 2 (-64) * (IZR q * powerRZ 2 (-64))) with (IZR q * IZR q * powerRZ 2 (-128))
        by (replace (-128)%Z with (-64 + -64)%Z by lia; rewrite pow2_add; ring).
      apply Rle_trans with ((IZR k + 1) * powerRZ 2 128 * powerRZ 2 (-128)); [apply Rmult_le_compat_r; [apply Rlt_le, pow2_pos | assumption]|].
      rewrite Rmult_assoc, <- pow2_add. replace (128 + -128)%Z with 0%Z by lia. simpl; lra. }
    set (mz := match alg with Perceptron => 1%Z | Gradient => n end) in *.
    assert (MZ : IZR mz = most rows alg) by (unfold mz, most; destruct alg; [reflexivity | exact IN]).
    assert (M1 : 1 <= most rows alg) by (rewrite <- MZ; unfold mz; destruct alg; [lra | rewrite IN; assumption]).
    destruct (decreasing_trace rows alg from_row _ A B TR M1) as (TA & TB & TC). rewrite IK, <- EF in *.
    set (total := dadd (dscale 2 (dsub root done)) (dZ e)) in *.
    assert (TT : dR total <= A) by (unfold total; rewrite dadd_R, dscale_R, dsub_R, done_R, dZ_R; lra).
    apply man_pos in T0 as TP.
    apply orb_prop in X as [X|X]; apply dlt_R in X.
    + rewrite dscale_R, dmul_R, MZ in X.
      assert (dR den * (A * A) <= dR num * (most rows alg * A)) by (eapply Rle_trans; [exact I | apply Rmult_le_compat_l; assumption]).
      assert (A * (dR den * A - most rows alg * dR num) <= 0) by lra.
      assert (dR total * dR den <= A * dR den) by (apply Rmult_le_compat_r; lra).
      assert (0 < A * (dR den * A - most rows alg * dR num)) by (apply Rmult_lt_0_compat; lra). lra.
    + set (squares := dadd (dscale (mz * mz) _) _) in *.
      assert (SQ : IZR ten10 * B <= dR squares).
      { unfold squares. rewrite !dadd_R, dscale_R, !dadd_R, !dZ_R, minus_IZR, !mult_IZR, MZ. unfold dR; cbn [man ex]. rewrite mult_IZR.
        destruct (Z.to_nat k) eqn:KN; [lia|]. pose proof (ln_count k (Z.log2 k) ltac:(lia) (Z.log2_nonneg k)) as LC.
        assert (TC' : B <= IZR e + most rows alg * most rows alg * (1 + ln (IZR k))) by exact TC.
        assert (MM : 0 < most rows alg * most rows alg) by nra.
        set (ll := ln (IZR k)) in *. set (mm := most rows alg * most rows alg) in *. set (pw := powerRZ 2 (- Z.log2 k)) in *.
        assert (mm * ll <= mm * (IZR (Z.log2 k) * (6931471806 / 10000000000) + IZR k * pw - 1)) by (apply Rmult_le_compat_l; lra).
        unfold ten10, ln2_10. lra. }
      rewrite dmul_R, dscale_R, dmul_R, dsq_R in X.
      assert (TEN : 0 < IZR ten10) by (apply IZR_lt; reflexivity).
      assert (dR total * dR total <= A * A) by (apply Rmult_le_compat; lra).
      assert (dR den * (dR total * dR total) <= dR den * (A * A)) by (apply Rmult_le_compat_l; lra).
      assert (dR num * (IZR ten10 * B) <= dR num * dR squares) by (apply Rmult_le_compat_l; assumption). nra.
  - destruct alg; [discriminate|]. apply (GR done); auto.
    + rewrite done_R; lra.
    + intros t. unfold hi, lo. rewrite done_R, IN. lra.
Qed.
