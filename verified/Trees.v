(* A sum of multiples of rows, kept by column in a binary tree: the lowest bit of the column says left or right. *)
From Separatrix Require Import Numbers Rows.
Open Scope Z_scope.

Inductive tree := Empty | Leaf (v : dy) | Node (l r : tree).
Fixpoint tget (t : tree) (j : Z) : dy :=
  match t with
  | Empty => dzero
  | Leaf v => if j =? 0 then v else dzero
  | Node l r => if Z.odd j then tget r (Z.div2 j) else tget l (Z.div2 j)
  end.
Fixpoint tadd (h : nat) (t : tree) (j : Z) (x : dy) : tree :=
  match h with
  | O => match t with Leaf v => Leaf (dadd v x) | _ => Leaf x end
  | S h' =>
    match t with
    | Node l r => if Z.odd j then Node l (tadd h' r (Z.div2 j) x) else Node (tadd h' l (Z.div2 j) x) r
    | _ => if Z.odd j then Node Empty (tadd h' Empty (Z.div2 j) x) else Node (tadd h' Empty (Z.div2 j) x) Empty
    end
  end.
(* Sum of the squares, and whether all values are zero. *)
Fixpoint tsq (t : tree) : dy :=
  match t with Empty => dzero | Leaf v => dsq v | Node l r => dadd (tsq l) (tsq r) end.
Fixpoint tnull (t : tree) : bool :=
  match t with Empty => true | Leaf v => deq0 v | Node l r => tnull l && tnull r end.

Fixpoint add_entries (h : nat) (t : tree) (off : Z) (es : entries) (k e : Z) : tree :=
  match es with [] => t | (j, m) :: es' => add_entries h (tadd h t (off + j) (Dy (k * m) e)) off es' k e end.
Fixpoint add_parts (h : nat) (t : tree) (c : dy) (r : row) : tree :=
  match r with [] => t | (k, off, es) :: r' => add_parts h (add_entries h t off es (man c * man k) (ex c + ex k)) c r' end.
(* t + c r *)
Definition add_row (h : nat) (t : tree) (c : dy) (r : row) : tree := if man c =? 0 then t else add_parts h t c r.

(* ---- What these are, in reals ---- *)
Open Scope R_scope.
Definition T (t : tree) : vec := fun j => dR (tget t j).
Fixpoint fits (h : nat) (t : tree) : Prop :=
  match h, t with
  | _, Empty => True
  | O, Leaf _ => True
  | S h', Node l r => fits h' l /\ fits h' r
  | _, _ => False
  end.
Definition at_ (i j : Z) (x : R) : R := if (j =? i)%Z then x else 0.

Lemma odd_div2 j : j = (2 * Z.div2 j + Z.b2z (Z.odd j))%Z. Proof. apply Z.div2_odd. Qed.
Lemma tadd_spec h : forall t j x, fits h t -> (0 <= j < cap h)%Z ->
  fits h (tadd h t j x) /\ forall i, (0 <= i < cap h)%Z -> T (tadd h t j x) i = T t i + at_ i j (dR x).
Proof.
  unfold T, at_. induction h; intros t j x F J.
  - cbn [cap] in J. assert (j = 0)%Z by lia; subst.
    destruct t; simpl in F; try contradiction; simpl; (split; [exact I|]); intros i K;
      cbn [cap] in K; assert (i = 0)%Z by lia; subst; simpl; rewrite ?dadd_R, ?dzero_R; lra.
  - cbn [cap] in J |- *. pose proof (odd_div2 j) as OJ.
    assert (B : (0 <= Z.div2 j < cap h)%Z) by (destruct (Z.odd j); simpl Z.b2z in OJ; lia).
    assert (HE : fits h Empty) by (destruct h; exact I).
    assert (Case : forall l r, fits h l -> fits h r -> (forall i, dR (tget t i) = dR (tget (Node l r) i)) ->
      let t' := if Z.odd j then Node l (tadd h r (Z.div2 j) x) else Node (tadd h l (Z.div2 j) x) r in
      fits (S h) t' /\ forall i, (0 <= i < 2 * cap h)%Z -> dR (tget t' i) = dR (tget t i) + (if (j =? i)%Z then dR x else 0)).
    { intros l r L R EQ. destruct (IHh l (Z.div2 j) x L B) as [L1 L2]. destruct (IHh r (Z.div2 j) x R B) as [R1 R2].
      destruct (Z.odd j) eqn:O; cbv zeta; (split; [simpl; auto|]); intros i K; rewrite EQ; cbn [tget]; pose proof (odd_div2 i) as OI;
        assert (BI : (0 <= Z.div2 i < cap h)%Z) by (destruct (Z.odd i); simpl Z.b2z in OI; lia);
        destruct (Z.odd i) eqn:Q; simpl Z.b2z in *.
      - rewrite R2 by assumption. destruct (Z.eqb_spec j i), (Z.eqb_spec (Z.div2 j) (Z.div2 i)); try lia; try congruence; lra.
      - destruct (Z.eqb_spec j i); [lia|lra].
      - destruct (Z.eqb_spec j i); [lia|lra].
      - rewrite L2 by assumption. destruct (Z.eqb_spec j i), (Z.eqb_spec (Z.div2 j) (Z.div2 i)); try lia; try congruence; lra. }
    destruct t as [|v|l r]; simpl in F; try contradiction.
    + cbn [tadd]. apply (Case Empty Empty); auto. intros i; simpl. destruct (Z.odd i); reflexivity.
    + cbn [tadd]. destruct F. apply (Case l r); auto.
Qed.

Lemma fits_empty h : fits h Empty. Proof. destruct h; exact I. Qed.
Lemma T_empty j : T Empty j = 0. Proof. unfold T; simpl; apply dzero_R. Qed.
Lemma tnull_T t : tnull t = true -> forall j, T t j = 0.
Proof.
  unfold T. induction t; simpl; intros H j; [apply dzero_R | |].
  - destruct (j =? 0)%Z; [apply deq0_R; assumption | apply dzero_R].
  - apply andb_prop in H as [H1 H2]. destruct (Z.odd j); auto.
Qed.
Lemma sumn_split f n : sumn f (n + n) = sumn (fun j => f (2 * j)%Z) n + sumn (fun j => f (2 * j + 1)%Z) n.
Proof.
  induction n; [simpl; lra|]. replace (S n + S n)%nat with (S (S (n + n))) by lia. cbn [sumn]. rewrite IHn.
  replace (Z.of_nat (S (n + n))) with (2 * Z.of_nat n + 1)%Z by lia.
  replace (Z.of_nat (n + n)) with (2 * Z.of_nat n)%Z by lia. lra.
Qed.
Lemma tsq_R h : forall t, fits h t -> dR (tsq t) = dot (cap h) (T t) (T t).
Proof.
  induction h; intros t F.
  - destruct t; simpl in F; try contradiction; unfold dot, sum, T; simpl; rewrite ?dsq_R, ?dzero_R; ring.
  - unfold dot, sum. rewrite cap_nat, sumn_split. unfold T.
    destruct t as [|v|l r]; simpl in F; try contradiction.
    + cbn [tsq tget]. rewrite dzero_R, !sumn_none; intros; rewrite ?dzero_R; ring.
    + destruct F as [L R]. cbn [tsq]. rewrite dadd_R, (IHh l L), (IHh r R). unfold dot, sum, T.
      f_equal; apply sumn_ext; intros j J; cbn [tget].
      * rewrite Z.odd_mul, Z.div2_div. replace (2 * j / 2)%Z with j by (symmetry; rewrite Z.mul_comm; apply Z.div_mul; lia). reflexivity.
      * rewrite Z.odd_add, Z.odd_mul, Z.div2_div. cbn [Z.odd xorb andb].
        replace ((2 * j + 1) / 2)%Z with j by (apply (Z.div_unique _ _ j 1); lia). reflexivity.
Qed.

Section AddRow.
  Variable h : nat.
  Variable d : Z.
  Hypothesis D : (d <= cap h)%Z.

  Lemma add_entries_spec off k e : forall es t, fits h t -> inside_entries d off es = true ->
    fits h (add_entries h t off es k e) /\ forall i, (0 <= i < cap h)%Z ->
    T (add_entries h t off es k e) i = T t i + IZR k * powerRZ 2 e * unit_sum es off (fun j => if (j =? i)%Z then 1 else 0).
  Proof.
    induction es as [|[j m] es IH]; intros t F H; simpl in *.
    - split; auto. intros; lra.
    - apply andb_prop in H as [H H']. apply within_iff in H.
      destruct (tadd_spec h t (off + j) (Dy (k * m) e) F) as [F1 E1]; [lia|].
      destruct (IH _ F1 H') as [F2 E2]. split; auto. intros i K. rewrite E2, E1 by assumption.
      unfold at_, dR; cbn [man ex]. rewrite mult_IZR. destruct (off + j =? i)%Z; ring.
  Qed.
  Lemma add_row_spec c : forall r t, fits h t -> inside d r = true ->
    fits h (add_row h t c r) /\ forall i, (0 <= i < cap h)%Z -> T (add_row h t c r) i = T t i + dR c * coord r i.
  Proof.
    unfold add_row, coord. destruct (Z.eqb_spec (man c) 0) as [Z|Z]; [intros; split; auto; intros; rewrite (man_zero c) by assumption; lra|].
    induction r as [|[[k o] es] r IH]; intros t F H; simpl in *; [split; auto; intros; lra|]. apply andb_prop in H as [H H'].
    destruct (add_entries_spec o (man c * man k) (ex c + ex k) es t F H) as [F1 E1].
    destruct (IH _ F1 H') as [F2 E2]. split; auto. intros i K. rewrite E2, E1 by assumption. unfold dR. rewrite mult_IZR, pow2_add. ring.
  Qed.
End AddRow.

(* Sums over the columns of the tree are sums over the d columns, for vectors that are zero beyond them. *)
Definition clip (d : Z) (u : vec) : vec := fun j => if within d j then u j else 0.
Lemma clip_in d u j : (0 <= j < d)%Z -> clip d u j = u j.
Proof. intros H. unfold clip. apply within_iff in H. rewrite H. reflexivity. Qed.
Lemma clip_out d u j : (d <= j)%Z -> clip d u j = 0.
Proof. intros H. unfold clip. destruct (within d j) eqn:E; auto. apply within_iff in E. lia. Qed.
Lemma dot_clip d e u v : (0 <= d <= e)%Z -> dot e u (clip d v) = dot d u v.
Proof.
  intros D. unfold dot. rewrite (sum_beyond d e); auto.
  - apply sum_ext; intros; rewrite clip_in by assumption; reflexivity.
  - intros j J; rewrite clip_out by lia; ring.
Qed.

(* Product of a row with weights in the tree. *)
Open Scope Z_scope.
Fixpoint tdot_entries (es : entries) (off : Z) (t : tree) (acc : dy) : dy :=
  match es with [] => acc | (j, m) :: es' => tdot_entries es' off t (dadd acc (dscale m (tget t (off + j)))) end.
Fixpoint tdot (r : row) (t : tree) : dy :=
  match r with [] => dzero | (k, off, es) :: r' => dadd (dmul k (tdot_entries es off t dzero)) (tdot r' t) end.
Open Scope R_scope.
Lemma tdot_R r t : dR (tdot r t) = rsum r (T t).
Proof.
  assert (A : forall off es acc, dR (tdot_entries es off t acc) = dR acc + unit_sum es off (T t)).
  { intros off. induction es as [|[j m] es IH]; intros acc; simpl; [lra|]. rewrite IH, dadd_R, dscale_R. unfold T. ring. }
  induction r as [|[[k o] es] r IH]; simpl; [apply dzero_R|]. rewrite dadd_R, dmul_R, A, dzero_R, IH. ring.
Qed.
