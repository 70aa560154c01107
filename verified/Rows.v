(* Rows of integers as vectors of reals, and the two things a check does with them: a product with weights that are
   looked up, and a sum of multiples of rows, kept in a tree over the columns. *)
From Separatrix Require Import Numbers.
Open Scope Z_scope.

(* ---- Rows ----
   A part (k, offset, entries) stands for k m at the column offset + j for each entry (j, m), k being dyadic; a row for the
   sum of its parts. Two sides have one part for each row, pairs of classes two that share their entries, the bias one more. *)
Definition entries := list (Z * Z).
Definition row := list (dy * Z * entries).

Open Scope R_scope.
Fixpoint unit_sum (es : entries) (off : Z) (u : vec) : R :=
  match es with [] => 0 | (j, m) :: es' => IZR m * u (off + j)%Z + unit_sum es' off u end.
(* Sum over all entries, each times u at its column. *)
Fixpoint rsum (r : row) (u : vec) : R := match r with [] => 0 | (k, off, es) :: r' => dR k * unit_sum es off u + rsum r' u end.
(* The vector that a row stands for: its coordinate at column c. *)
Definition coord (r : row) : vec := fun c => rsum r (fun j => if (j =? c)%Z then 1 else 0).
Open Scope Z_scope.

Definition within (d j : Z) := (0 <=? j) && (j <? d).
Fixpoint inside_entries (d off : Z) (es : entries) : bool :=
  match es with [] => true | (j, _) :: es' => within d (off + j) && inside_entries d off es' end.
(* Every column of the row is one of 0 .. d - 1. *)
Fixpoint inside (d : Z) (r : row) : bool :=
  match r with [] => true | (_, off, es) :: r' => inside_entries d off es && inside d r' end.

Open Scope R_scope.
Lemma within_iff d j : within d j = true <-> (0 <= j < d)%Z.
Proof. unfold within. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. tauto. Qed.

Lemma unit_plus es off u v : unit_sum es off (fun j => u j + v j) = unit_sum es off u + unit_sum es off v.
Proof. induction es as [|[j m] es IH]; simpl; [lra|]. rewrite IH; lra. Qed.
Lemma unit_scale es off k u : unit_sum es off (fun j => k * u j) = k * unit_sum es off u.
Proof. induction es as [|[j m] es IH]; simpl; [lra|]. rewrite IH; lra. Qed.
Lemma unit_ext d es off u v : inside_entries d off es = true -> (forall j, (0 <= j < d)%Z -> u j = v j) -> unit_sum es off u = unit_sum es off v.
Proof.
  intros I E. induction es as [|[j m] es IH]; simpl in *; auto. apply andb_prop in I as [I I']. apply within_iff in I. rewrite IH, E; auto.
Qed.
Lemma rsum_plus r u v : rsum r (fun j => u j + v j) = rsum r u + rsum r v.
Proof. induction r as [|[[k o] es] r IH]; simpl; [lra|]. rewrite IH, unit_plus; lra. Qed.
Lemma rsum_scale r c u : rsum r (fun j => c * u j) = c * rsum r u.
Proof. induction r as [|[[k o] es] r IH]; simpl; [lra|]. rewrite IH, unit_scale; lra. Qed.
Lemma rsum_zero r : rsum r (fun _ => 0) = 0.
Proof. pose proof (rsum_scale r 0 (fun _ => 0)) as H; cbv beta in H. rewrite Rmult_0_l in H. lra. Qed.
Lemma rsum_ext d r u v : inside d r = true -> (forall j, (0 <= j < d)%Z -> u j = v j) -> rsum r u = rsum r v.
Proof.
  intros I E. induction r as [|[[k o] es] r IH]; simpl in *; auto. apply andb_prop in I as [I I']. rewrite IH, (unit_ext d es o u v); auto.
Qed.
Lemma rsum_sumn r (F : Z -> vec) n : rsum r (fun j => sumn (fun c => F c j) n) = sumn (fun c => rsum r (F c)) n.
Proof. induction n; cbn [sumn]; [apply rsum_zero|]. rewrite rsum_plus, IHn. reflexivity. Qed.

(* A product with the vector of a row is a sum over its entries. *)
Lemma dot_coord d r u : inside d r = true -> dot d (coord r) u = rsum r u.
Proof.
  intros I. unfold dot, coord, sum.
  rewrite (sumn_ext _ (fun c => rsum r (fun j => u c * (if (j =? c)%Z then 1 else 0)))).
  2: { intros; rewrite rsum_scale; lra. }
  rewrite <- (rsum_sumn r (fun c j => u c * (if (j =? c)%Z then 1 else 0))).
  apply (rsum_ext d); auto. intros j J. fold (sum d (fun c => u c * (if (j =? c)%Z then 1 else 0))).
  rewrite (sum_ext _ _ (fun c => if (c =? j)%Z then u j else 0)).
  - apply sum_single; assumption.
  - intros c _. destruct (Z.eqb_spec j c), (Z.eqb_spec c j); subst; try lia; lra.
Qed.

(* ---- The product of a row with weights W(j) 2^ws, which are looked up ---- *)
Open Scope Z_scope.
Fixpoint zdot (es : entries) (off : Z) (W : Z -> Z) (acc : Z) : Z :=
  match es with [] => acc | (j, m) :: es' => zdot es' off W (acc + m * W (off + j)) end.
Fixpoint vdot (r : row) (W : Z -> Z) (ws : Z) : dy :=
  match r with
  | [] => dzero
  | (k, off, es) :: r' =>
    let p := dmul k (Dy (zdot es off W 0) ws) in match r' with [] => p | _ => dadd p (vdot r' W ws) end
  end.
Definition weights_R (W : Z -> Z) (ws : Z) : vec := fun j => dR (Dy (W j) ws).

Open Scope R_scope.
Lemma zdot_R es off W : forall acc, IZR (zdot es off W acc) = IZR acc + unit_sum es off (fun j => IZR (W j)).
Proof. induction es as [|[j m] es IH]; intros acc; simpl; [lra|]. rewrite IH, plus_IZR, mult_IZR; lra. Qed.
Lemma vdot_R r W ws : dR (vdot r W ws) = rsum r (weights_R W ws).
Proof.
  assert (U : forall off es, unit_sum es off (weights_R W ws) = powerRZ 2 ws * unit_sum es off (fun j => IZR (W j))).
  { intros off es. rewrite <- unit_scale. induction es as [|[j m] es IH]; simpl; auto. rewrite IH. unfold weights_R. rewrite dR_Dy. ring. }
  induction r as [|[[k o] es] r IH]; [apply dzero_R|].
  assert (P : dR (dmul k (Dy (zdot es o W 0) ws)) = dR k * unit_sum es o (weights_R W ws)) by (rewrite dmul_R, dR_Dy, zdot_R, U; ring).
  cbn [vdot rsum]. cbv zeta. destruct r; [rewrite P; simpl; ring | rewrite dadd_R, P, IH; reflexivity].
Qed.

(* Sum of f(j) over base <= j < base + 2^h with j < d. *)
Open Scope Z_scope.
Fixpoint cap (h : nat) : Z := match h with O => 1 | S h' => 2 * cap h' end.
Fixpoint range_sum (h : nat) (base d : Z) (f : Z -> Z) : Z :=
  match h with
  | O => if base <? d then f base else 0
  | S h' => if d <=? base then 0 else range_sum h' base d f + range_sum h' (base + cap h') d f
  end.
Definition square_of (h : nat) (d : Z) (W : Z -> Z) (ws : Z) : dy := Dy (range_sum h 0 d (fun j => W j * W j)) (2 * ws).

Open Scope R_scope.
Lemma cap_pos h : (0 < cap h)%Z. Proof. induction h; cbn [cap]; lia. Qed.
Lemma cap_nat h : Z.to_nat (cap (S h)) = (Z.to_nat (cap h) + Z.to_nat (cap h))%nat.
Proof. pose proof (cap_pos h). cbn [cap]. lia. Qed.
Lemma range_sum_R h : forall base d f,
  IZR (range_sum h base d f) = sumn (fun j => if (base + j <? d)%Z then IZR (f (base + j)%Z) else 0) (Z.to_nat (cap h)).
Proof.
  induction h; intros base d f.
  - simpl. rewrite Z.add_0_r. destruct (base <? d)%Z; lra.
  - rewrite cap_nat, sumn_add. cbn [range_sum]. destruct (Z.leb_spec d base).
    + rewrite !sumn_none; [lra | |];
        intros j J; match goal with |- (if (?a <? ?b)%Z then _ else _) = _ => destruct (Z.ltb_spec a b); [lia|auto] end.
    + rewrite plus_IZR, !IHh. f_equal. apply sumn_ext; intros j J. pose proof (cap_pos h).
      rewrite Z2Nat.id by lia. rewrite Z.add_assoc. reflexivity.
Qed.
Lemma range_sum_all h d f : (0 <= d <= cap h)%Z -> IZR (range_sum h 0 d f) = sum d (fun j => IZR (f j)).
Proof.
  intros D. rewrite range_sum_R. fold (sum (cap h) (fun j => if (0 + j <? d)%Z then IZR (f (0 + j)%Z) else 0)).
  rewrite (sum_beyond d); [|lia|]; cycle 1.
  - intros j J. destruct (Z.ltb_spec (0 + j) d); [lia|auto].
  - apply sum_ext; intros j J. destruct (Z.ltb_spec (0 + j) d); [auto|lia].
Qed.
Lemma square_of_R h d W ws : (0 <= d <= cap h)%Z -> dR (square_of h d W ws) = dot d (weights_R W ws) (weights_R W ws).
Proof.
  intros D. unfold square_of, dR; cbn [man ex]. rewrite range_sum_all by assumption. unfold dot, weights_R, dR; cbn [man ex].
  rewrite Rmult_comm, <- sum_scale. apply sum_ext; intros j _. rewrite mult_IZR.
  replace (2 * ws)%Z with (ws + ws)%Z by lia. rewrite pow2_add; ring.
Qed.
