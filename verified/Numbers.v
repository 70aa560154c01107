(* Dyadic numbers, vectors of reals, rows of integers, and sums over columns: what the other files compute with. *)
From Coq Require Export ZArith List Reals Lra Lia Bool Psatz.
Export ListNotations.
Open Scope Z_scope.

(* ---- Dyadic numbers: man * 2^ex. Nothing here rounds. ---- *)
Record dy := Dy { man : Z; ex : Z }.
Definition dR (a : dy) : R := (IZR (man a) * powerRZ 2 (ex a))%R.

Definition dzero := Dy 0 0.
Definition done := Dy 1 0.
Definition dneg a := Dy (- man a) (ex a).
Definition dmul a b := Dy (man a * man b) (ex a + ex b).
Definition dadd a b :=
  if ex a =? ex b then Dy (man a + man b) (ex a)
  else if ex a <=? ex b then Dy (man a + Z.shiftl (man b) (ex b - ex a)) (ex a)
  else Dy (Z.shiftl (man a) (ex a - ex b) + man b) (ex b).
Definition dsub a b := dadd a (dneg b).
Definition dsq a := dmul a a.
Definition dZ (k : Z) := Dy k 0.
Definition dscale (k : Z) a := Dy (k * man a) (ex a).
Definition dhalf a := Dy (man a) (ex a - 1).
Definition dle a b := 0 <=? man (dsub b a).
Definition dlt a b := 0 <? man (dsub b a).
Definition deq0 a := man a =? 0.
Definition dmin a b := if dle a b then a else b.
Definition dmax a b := if dle a b then b else a.

Open Scope R_scope.
Lemma pow2_pos e : 0 < powerRZ 2 e.
Proof. apply powerRZ_lt; lra. Qed.
Lemma pow2_add a b : powerRZ 2 (a + b) = powerRZ 2 a * powerRZ 2 b.
Proof. apply powerRZ_add; lra. Qed.
Lemma shiftl_R m k : (0 <= k)%Z -> IZR (Z.shiftl m k) = IZR m * powerRZ 2 k.
Proof.
  intros H. rewrite Z.shiftl_mul_pow2, mult_IZR by assumption. f_equal.
  rewrite <- (Z2Nat.id k) by assumption. rewrite <- pow_IZR, <- pow_powerRZ. reflexivity.
Qed.

Lemma dR_Dy m e : dR (Dy m e) = IZR m * powerRZ 2 e. Proof. reflexivity. Qed.
Lemma dzero_R : dR dzero = 0. Proof. unfold dR; simpl; lra. Qed.
Lemma done_R : dR done = 1. Proof. unfold dR; simpl; lra. Qed.
Lemma dZ_R k : dR (dZ k) = IZR k. Proof. unfold dR; simpl; lra. Qed.
Lemma dneg_R a : dR (dneg a) = - dR a. Proof. unfold dR, dneg; simpl; rewrite opp_IZR; lra. Qed.
Lemma dmul_R a b : dR (dmul a b) = dR a * dR b.
Proof. unfold dR, dmul; simpl; rewrite mult_IZR, pow2_add; lra. Qed.
Lemma dscale_R k a : dR (dscale k a) = IZR k * dR a.
Proof. unfold dR, dscale; simpl; rewrite mult_IZR; lra. Qed.
Lemma dhalf_R a : dR (dhalf a) = / 2 * dR a.
Proof. unfold dR, dhalf, Z.sub; simpl; rewrite pow2_add; simpl; lra. Qed.
Lemma dsq_R a : dR (dsq a) = dR a * dR a. Proof. apply dmul_R. Qed.
Lemma dadd_R a b : dR (dadd a b) = dR a + dR b.
Proof.
  unfold dR, dadd. destruct (Z.eqb_spec (ex a) (ex b)) as [E|E]; simpl.
  - rewrite plus_IZR, E; lra.
  - destruct (Z.leb_spec (ex a) (ex b)); simpl; rewrite plus_IZR, shiftl_R by lia.
    + replace (ex b) with ((ex b - ex a) + ex a)%Z at 2 by lia. rewrite pow2_add; lra.
    + replace (ex a) with ((ex a - ex b) + ex b)%Z at 2 by lia. rewrite pow2_add; lra.
Qed.
Lemma dsub_R a b : dR (dsub a b) = dR a - dR b.
Proof. unfold dsub; rewrite dadd_R, dneg_R; lra. Qed.

Lemma man_pos a : (0 < man a)%Z -> 0 < dR a.
Proof. intros H. apply IZR_lt in H. apply Rmult_lt_0_compat; [assumption | apply pow2_pos]. Qed.
Lemma man_zero a : man a = 0%Z -> dR a = 0. Proof. intros H. unfold dR. rewrite H. lra. Qed.
Lemma man_nonneg a : (0 <= man a)%Z -> 0 <= dR a.
Proof. intros H. apply Zle_lt_or_eq in H as [H|H]; [apply Rlt_le, man_pos; assumption | rewrite man_zero by auto; lra]. Qed.
Lemma man_neg a : (man a <= 0)%Z -> dR a <= 0.
Proof. intros H. assert (N : (0 <= man (dneg a))%Z) by (simpl; lia). apply man_nonneg in N. rewrite dneg_R in N. lra. Qed.
Lemma dle_R a b : dle a b = true -> dR a <= dR b.
Proof. unfold dle. intros H. apply Z.leb_le, man_nonneg in H. rewrite dsub_R in H. lra. Qed.
Lemma dlt_R a b : dlt a b = true -> dR a < dR b.
Proof. unfold dlt. intros H. apply Z.ltb_lt, man_pos in H. rewrite dsub_R in H. lra. Qed.
Lemma dle_false a b : dle a b = false -> dR b <= dR a.
Proof. unfold dle. intros H. apply Z.leb_gt, Z.lt_le_incl, man_neg in H. rewrite dsub_R in H. lra. Qed.
Lemma deq0_R a : deq0 a = true -> dR a = 0.
Proof. unfold deq0. intros H. apply man_zero, Z.eqb_eq, H. Qed.
Lemma dmin_R a b : dR (dmin a b) <= dR a /\ dR (dmin a b) <= dR b.
Proof.
  unfold dmin; destruct (dle a b) eqn:E; [apply dle_R in E | apply dle_false in E]; lra.
Qed.
Lemma dmax_R a b : dR a <= dR (dmax a b) /\ dR b <= dR (dmax a b).
Proof.
  unfold dmax; destruct (dle a b) eqn:E; [apply dle_R in E | apply dle_false in E]; lra.
Qed.
Lemma le_of_sq (a b : R) : 0 <= b -> a * a <= b * b -> a <= b. Proof. intros; nra. Qed.
Lemma Rsq_nonneg (a : R) : 0 <= a * a.
Proof. pose proof (Rle_0_sqr a); unfold Rsqr in *; lra. Qed.

(* ---- Vectors: functions of the column. Sums over the columns 0 .. d - 1. ---- *)
Definition vec := Z -> R.
Fixpoint sumn (f : Z -> R) (n : nat) : R :=
  match n with O => 0 | S n' => sumn f n' + f (Z.of_nat n') end.
Definition sum (d : Z) (f : Z -> R) : R := sumn f (Z.to_nat d).
Definition dot (d : Z) (u v : vec) : R := sum d (fun j => u j * v j).

Lemma sumn_ext f g n : (forall j, (0 <= j < Z.of_nat n)%Z -> f j = g j) -> sumn f n = sumn g n.
Proof. induction n; intros H; cbn [sumn]; auto. rewrite IHn, H; auto; intros; try apply H; lia. Qed.
Lemma sumn_plus f g n : sumn (fun j => f j + g j) n = sumn f n + sumn g n.
Proof. induction n; cbn [sumn]; [lra|]. rewrite IHn; lra. Qed.
Lemma sumn_scale k f n : sumn (fun j => k * f j) n = k * sumn f n.
Proof. induction n; cbn [sumn]; [lra|]. rewrite IHn; lra. Qed.
Lemma sumn_zero n : sumn (fun _ => 0) n = 0.
Proof. induction n; cbn [sumn]; lra. Qed.
Lemma sumn_none f n : (forall j, (0 <= j < Z.of_nat n)%Z -> f j = 0) -> sumn f n = 0.
Proof. intros H. rewrite (sumn_ext f (fun _ => 0)) by assumption. apply sumn_zero. Qed.
Lemma sumn_le f g n : (forall j, (0 <= j < Z.of_nat n)%Z -> f j <= g j) -> sumn f n <= sumn g n.
Proof.
  induction n; intros H; cbn [sumn]; [lra|]. assert (sumn f n <= sumn g n) by (apply IHn; intros; apply H; lia).
  assert (f (Z.of_nat n) <= g (Z.of_nat n)) by (apply H; lia). lra.
Qed.
Lemma sum_ext d f g : (forall j, (0 <= j < d)%Z -> f j = g j) -> sum d f = sum d g.
Proof. intros H; apply sumn_ext; intros; apply H; lia. Qed.
Lemma sum_plus d f g : sum d (fun j => f j + g j) = sum d f + sum d g. Proof. apply sumn_plus. Qed.
Lemma sum_scale d k f : sum d (fun j => k * f j) = k * sum d f. Proof. apply sumn_scale. Qed.
Lemma sum_zero d : sum d (fun _ => 0) = 0. Proof. apply sumn_zero. Qed.
Lemma sum_le d f g : (forall j, (0 <= j < d)%Z -> f j <= g j) -> sum d f <= sum d g.
Proof. intros H; apply sumn_le; intros; apply H; lia. Qed.
Lemma sum_nonneg d f : (forall j, (0 <= j < d)%Z -> 0 <= f j) -> 0 <= sum d f.
Proof. intros H. rewrite <- (sum_zero d). apply sum_le; auto. Qed.
Lemma sumn_single c a n : (0 <= c < Z.of_nat n)%Z -> sumn (fun j => if (j =? c)%Z then a else 0) n = a.
Proof.
  induction n; intros H; cbn [sumn]; [lia|]. destruct (Z.eqb_spec (Z.of_nat n) c) as [E|E].
  - rewrite (sumn_ext _ (fun _ => 0)), sumn_zero; [lra|]. intros j J. destruct (Z.eqb_spec j c); [lia|reflexivity].
  - rewrite IHn by lia; lra.
Qed.
Lemma sum_single d c a : (0 <= c < d)%Z -> sum d (fun j => if (j =? c)%Z then a else 0) = a.
Proof. intros H; apply sumn_single; lia. Qed.
Lemma sumn_add f a b : sumn f (a + b) = sumn f a + sumn (fun j => f (Z.of_nat a + j)%Z) b.
Proof.
  induction b; rewrite ?Nat.add_0_r; cbn [sumn]; [lra|].
  rewrite Nat.add_succ_r; cbn [sumn]. rewrite IHb, Nat2Z.inj_add. lra.
Qed.
Lemma sum_beyond d e f : (0 <= d <= e)%Z -> (forall j, (d <= j < e)%Z -> f j = 0) -> sum e f = sum d f.
Proof.
  intros D H. unfold sum. replace (Z.to_nat e) with (Z.to_nat d + Z.to_nat (e - d))%nat by lia.
  rewrite sumn_add, (sumn_none (fun j => f (Z.of_nat (Z.to_nat d) + j)%Z)); [lra|]. intros; apply H; lia.
Qed.

Lemma dot_ext d u u' v v' : (forall j, (0 <= j < d)%Z -> u j = u' j) -> (forall j, (0 <= j < d)%Z -> v j = v' j) ->
  dot d u v = dot d u' v'.
Proof. intros U V. apply sum_ext; intros. rewrite U, V by assumption; reflexivity. Qed.
Lemma dot_sym d u v : dot d u v = dot d v u. Proof. apply sum_ext; intros; lra. Qed.
Lemma dot_self d u : 0 <= dot d u u. Proof. apply sum_nonneg; intros; apply Rsq_nonneg. Qed.

(* Young's inequality and that of Cauchy and Schwarz, for a sum with weights that are not negative. *)
Lemma young d u v : dot d u v <= / 2 * dot d u u + / 2 * dot d v v.
Proof.
  unfold dot. rewrite <- !sum_scale, <- sum_plus. apply sum_le; intros j _. pose proof (Rsq_nonneg (u j - v j)). lra.
Qed.
Lemma quadratic_cauchy a b c : 0 <= a -> (forall t, 0 <= a * t * t + 2 * b * t + c) -> b * b <= a * c.
Proof.
  intros A H. destruct (Req_dec a 0) as [Z|Z].
  - subst. pose proof (H (- b * (1 + Rabs c))) as P. pose proof (Rle_abs c). pose proof (Rabs_pos c).
    assert (0 <= - 2 * (b * b) * (1 + Rabs c) + c) by lra.
    destruct (Req_dec b 0) as [B|B]; [subst; lra|]. assert (0 < b * b) by nra.
    pose proof (H ((- c - 1) / (2 * b))) as Q. assert (2 * b * ((- c - 1) / (2 * b)) = - c - 1) by (field; auto). lra.
  - assert (0 < a) by lra. pose proof (H (- b / a)) as P.
    replace (a * (- b / a) * (- b / a) + 2 * b * (- b / a) + c) with ((a * c - b * b) / a) in P by (field; lra).
    assert (0 <= a * ((a * c - b * b) / a)) by (apply Rmult_le_pos; lra).
    replace (a * ((a * c - b * b) / a)) with (a * c - b * b) in H1 by (field; lra). lra.
Qed.
Lemma cauchy_weighted d om u v : (forall j, (0 <= j < d)%Z -> 0 <= om j) ->
  sum d (fun j => om j * u j * v j) * sum d (fun j => om j * u j * v j)
  <= sum d (fun j => om j * u j * u j) * sum d (fun j => om j * v j * v j).
Proof.
  intros O. apply quadratic_cauchy.
  - apply sum_nonneg; intros j J. pose proof (Rsq_nonneg (u j)). pose proof (O j J). rewrite Rmult_assoc.
    apply Rmult_le_pos; assumption.
  - intros t.
    replace (sum d (fun j => om j * u j * u j) * t * t + 2 * sum d (fun j => om j * u j * v j) * t + sum d (fun j => om j * v j * v j))
      with (sum d (fun j => om j * ((t * u j + v j) * (t * u j + v j)))).
    + apply sum_nonneg; intros j J. apply Rmult_le_pos; [auto | apply Rsq_nonneg].
    + rewrite (sum_ext _ _ (fun j => (t * t) * (om j * u j * u j) + ((2 * t) * (om j * u j * v j) + om j * v j * v j)))
        by (intros; ring). rewrite !sum_plus, !sum_scale. ring.
Qed.
Lemma cauchy d u v : dot d u v * dot d u v <= dot d u u * dot d v v.
Proof.
  pose proof (cauchy_weighted d (fun _ => 1) u v) as C. cbv beta in C.
  assert (E : forall a b : vec, sum d (fun j => 1 * a j * b j) = dot d a b) by (intros; apply sum_ext; intros; ring).
  rewrite !E in C. apply C; intros; lra.
Qed.

(* ---- Sums over the items of a list ---- *)
Fixpoint lsum {A : Type} (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: l' => f a + lsum f l' end.
Lemma lsum_app {A} (f : A -> R) l m : lsum f (l ++ m) = lsum f l + lsum f m.
Proof. induction l; simpl; [lra|]. rewrite IHl; lra. Qed.
Lemma lsum_snoc {A} (f : A -> R) l a : lsum f (l ++ [a]) = lsum f l + f a.
Proof. rewrite lsum_app; simpl; lra. Qed.
Lemma lsum_ext {A} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> lsum f l = lsum g l.
Proof. induction l; simpl; intros H; auto. rewrite IHl, H by auto. reflexivity. Qed.
Lemma lsum_le {A} (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> lsum f l <= lsum g l.
Proof.
  induction l; simpl; intros H; [lra|]. assert (f a <= g a) by auto. assert (lsum f l <= lsum g l) by auto. lra.
Qed.
Lemma lsum_plus {A} (f g : A -> R) l : lsum (fun a => f a + g a) l = lsum f l + lsum g l.
Proof. induction l; simpl; [lra|]. rewrite IHl; lra. Qed.
Lemma lsum_scale {A} k (f : A -> R) l : lsum (fun a => k * f a) l = k * lsum f l.
Proof. induction l; simpl; [lra|]. rewrite IHl; lra. Qed.
Lemma lsum_zero {A} (l : list A) : lsum (fun _ => 0) l = 0.
Proof. induction l; simpl; lra. Qed.
Lemma lsum_nonneg {A} (f : A -> R) l : (forall a, In a l -> 0 <= f a) -> 0 <= lsum f l.
Proof. induction l; simpl; intros H; [lra|]. assert (0 <= f a) by auto. assert (0 <= lsum f l) by auto. lra. Qed.
Lemma lsum_zero_all {A} (f : A -> R) l : (forall a, In a l -> 0 <= f a) -> lsum f l = 0 -> forall a, In a l -> f a = 0.
Proof.
  induction l; simpl; intros H Z b B; [contradiction|]. assert (0 <= f a) by auto.
  assert (0 <= lsum f l) by (apply lsum_nonneg; auto). destruct B as [<-|B]; [lra|]. apply IHl; auto; lra.
Qed.
Lemma lsum_pos {A} (f : A -> R) l : (forall a, In a l -> 0 <= f a) -> (exists a, In a l /\ 0 < f a) -> 0 < lsum f l.
Proof.
  intros H [a [I P]]. destruct (Rle_lt_or_eq_dec _ _ (lsum_nonneg f l H)) as [L|E]; auto.
  rewrite (lsum_zero_all f l H (eq_sym E) a I) in P. lra.
Qed.
Lemma dot_combo {A} d (k : A -> R) (c : A -> vec) l u :
  dot d (fun i => lsum (fun a => k a * c a i) l) u = lsum (fun a => k a * dot d (c a) u) l.
Proof.
  unfold dot. induction l; simpl.
  - rewrite (sum_ext _ _ (fun _ => 0)), sum_zero; auto. intros; lra.
  - rewrite <- IHl, <- sum_scale, <- sum_plus. apply sum_ext; intros; ring.
Qed.
