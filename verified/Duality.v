(* Losses and weak duality, for any scores: linear functions and kernels alike. *)
From Separatrix Require Import Numbers.
Open Scope R_scope.

(* ---- The problem ---- *)
Inductive loss_kind := Hinge | Squared.
Inductive bias_kind := Free | Augmented | NoBias.
Definition slack (m : R) : R := Rmax 0 (1 - m).
Definition loss (l : loss_kind) (m : R) : R := match l with Hinge => slack m | Squared => slack m * slack m end.
(* Which b a problem has, and what it adds to the objective. *)
Definition allowed (k : bias_kind) (b : R) : Prop := match k with NoBias => b = 0 | _ => True end.
Definition penalty (k : bias_kind) (b : R) : R := match k with Augmented => / 2 * (b * b) | _ => 0 end.

(* ---- Weak duality ---- *)
Lemma slack_pos m : 0 <= slack m. Proof. apply Rmax_l. Qed.
Lemma slack_low m : 1 - m <= slack m. Proof. apply Rmax_r. Qed.
Lemma loss_bound l m a c q : 0 <= a -> 0 < c -> match l with Hinge => a <= c /\ 0 <= q | Squared => a * a <= 4 * c * q end ->
  a * (1 - m) - q <= c * loss l m.
Proof.
  intros A C B. pose proof (slack_pos m) as S. pose proof (slack_low m) as L.
  assert (a * (1 - m) <= a * slack m) by (apply Rmult_le_compat_l; assumption). destruct l; simpl.
  - assert (a * slack m <= c * slack m) by (apply Rmult_le_compat_r; tauto). destruct B; lra.
  - pose proof (Rsq_nonneg (2 * c * slack m - a)) as Q.
    assert (0 <= 4 * c * (c * (slack m * slack m) - a * slack m + q)) by nra.
    assert (0 <= c * (slack m * slack m) - a * slack m + q) by (apply Rmult_le_reg_l with (4 * c); lra). lra.
Qed.
Lemma bias_bound k b s : allowed k b -> (k = Free -> s = 0) ->
  s * b <= penalty k b + match k with Augmented => / 2 * (s * s) | _ => 0 end.
Proof.
  intros A F. destruct k; simpl in *.
  - rewrite F by reflexivity; lra.
  - pose proof (Rsq_nonneg (s - b)); lra.
  - subst; lra.
Qed.

Section Weak.
  Context {A : Type}.
  Variables (y c a q : A -> R) (l : list A).
  Definition imbalance := lsum (fun i => a i * y i) l.
  (* Dual value of a, where Q is the square of the sum of the a_i y_i x_i. *)
  Definition dual_value (k : bias_kind) (Q : R) : R :=
    lsum (fun i => a i - q i) l - / 2 * Q - match k with Augmented => / 2 * (imbalance * imbalance) | _ => 0 end.

  (* With these scores, w has the square P, and its product with the sum of the a_i y_i x_i is as in Young's inequality. *)
  Variables (score : A -> R) (P Q b : R) (k : bias_kind).
  Hypothesis allow : allowed k b.
  Hypothesis free : k = Free -> imbalance = 0.
  Hypothesis cross : lsum (fun i => a i * y i * score i) l <= / 2 * P + / 2 * Q.

  Lemma lagrangian : lsum (fun i => a i * (1 - y i * (score i + b)) - q i) l
    = lsum (fun i => a i - q i) l - lsum (fun i => a i * y i * score i) l - imbalance * b.
  Proof.
    unfold imbalance. rewrite Rmult_comm, <- lsum_scale.
    replace (lsum (fun i => a i - q i) l - lsum (fun i => a i * y i * score i) l - lsum (fun i => b * (a i * y i)) l)
      with (lsum (fun i => a i - q i) l + - 1 * lsum (fun i => a i * y i * score i) l + - 1 * lsum (fun i => b * (a i * y i)) l) by ring.
    rewrite <- !lsum_scale, <- !lsum_plus. apply lsum_ext; intros; ring.
  Qed.
  Theorem weak_duality lk :
    (forall i, In i l -> 0 <= a i /\ 0 < c i /\ match lk with Hinge => a i <= c i /\ 0 <= q i | Squared => a i * a i <= 4 * c i * q i end) ->
    dual_value k Q <= / 2 * P + penalty k b + lsum (fun i => c i * loss lk (y i * (score i + b))) l.
  Proof.
    intros H. pose proof (bias_bound k b imbalance allow free) as B. pose proof lagrangian as L.
    assert (lsum (fun i => a i * (1 - y i * (score i + b)) - q i) l <= lsum (fun i => c i * loss lk (y i * (score i + b))) l).
    { apply lsum_le; intros i I. destruct (H i I) as (U & V & W). apply loss_bound; assumption. }
    unfold dual_value. destruct k; lra.
  Qed.
  (* The hard margin: every row has y (score + b) >= 1. *)
  Theorem weak_duality_hard :
    (forall i, In i l -> 0 <= a i /\ q i = 0 /\ 1 <= y i * (score i + b)) -> dual_value k Q <= / 2 * P + penalty k b.
  Proof.
    intros H. pose proof (bias_bound k b imbalance allow free) as B. pose proof lagrangian as L.
    assert (lsum (fun i => a i * (1 - y i * (score i + b)) - q i) l <= lsum (fun _ => 0) l).
    { apply lsum_le; intros i I. destruct (H i I) as (U & V & W). rewrite V.
      assert (0 <= a i * (y i * (score i + b) - 1)) by (apply Rmult_le_pos; lra). lra. }
    rewrite lsum_zero in *. unfold dual_value. destruct k; lra.
  Qed.
End Weak.

(* alpha^2 / (4 C), rounded up to a multiple of 2^-2200. *)
Open Scope Z_scope.
Definition quotient (a c : dy) : dy :=
  let e := 2 * ex a - 2 - ex c + 2200 in
  let n := man a * man a in
  if 0 <=? e then Dy (- (- Z.shiftl n e / man c)) (-2200) else Dy (- (- n / Z.shiftl (man c) (- e))) (-2200).
Open Scope R_scope.
Lemma quotient_R a c : (0 < man c)%Z -> dR a * dR a <= 4 * dR c * dR (quotient a c).
Proof.
  intros C. assert (Up : forall n m, (0 < m)%Z -> (n <= - (- n / m) * m)%Z).
  { intros n m M. pose proof (Z.mul_div_le (- n) m M). lia. }
  assert (F : 4 = powerRZ 2 2) by (simpl; lra). rewrite F.
  unfold quotient. set (e := (2 * ex a - 2 - ex c + 2200)%Z). set (n := (man a * man a)%Z).
  assert (EE : dR a * dR a = IZR n * powerRZ 2 (2 * ex a)).
  { unfold dR, n. rewrite mult_IZR. replace (2 * ex a)%Z with (ex a + ex a)%Z by lia. rewrite pow2_add; ring. }
  rewrite EE. unfold dR. destruct (Z.leb_spec 0 e) as [E|E]; cbn [man ex].
  - pose proof (Up (Z.shiftl n e) (man c) C) as U. apply IZR_le in U. rewrite mult_IZR, shiftl_R in U by assumption.
    set (v := IZR (- (- Z.shiftl n e / man c))) in *. replace (2 * ex a)%Z with (e + (2 + ex c + -2200))%Z by (unfold e; lia).
    rewrite !pow2_add. pose proof (pow2_pos 2). pose proof (pow2_pos (ex c)). pose proof (pow2_pos (-2200)).
    replace (powerRZ 2 2 * (IZR (man c) * powerRZ 2 (ex c)) * (v * powerRZ 2 (-2200)))
      with (v * IZR (man c) * (powerRZ 2 2 * powerRZ 2 (ex c) * powerRZ 2 (-2200))) by ring.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; auto. apply Rlt_le, Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; auto.
  - assert (C' : (0 < Z.shiftl (man c) (- e))%Z) by (rewrite Z.shiftl_mul_pow2 by lia; apply Z.mul_pos_pos; lia).
    pose proof (Up n _ C') as U. apply IZR_le in U. rewrite mult_IZR, shiftl_R in U by lia.
    set (v := IZR (- (- n / Z.shiftl (man c) (- e)))) in *.
    pose proof (pow2_pos (2 * ex a)).
    replace (powerRZ 2 2 * (IZR (man c) * powerRZ 2 (ex c)) * (v * powerRZ 2 (-2200)))
      with (v * IZR (man c) * powerRZ 2 (2 + ex c + -2200)) by (rewrite !pow2_add; ring).
    replace (2 + ex c + -2200)%Z with (- e + 2 * ex a)%Z by (unfold e; lia). rewrite pow2_add.
    rewrite <- !Rmult_assoc. apply Rmult_le_compat_r; [lra|]. rewrite Rmult_assoc. assumption.
Qed.
