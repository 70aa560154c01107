(* separating, inseparable, quasi-separable: statements about vectors a and their products with z, the check in one
   pass over the rows, and why it may be trusted. What the vectors are is said in Samples.v. *)
From Separatrix Require Import Numbers Rows Trees.
Open Scope Z_scope.

(* A row with its weight in the circuit and in the cover. *)
Record item := Item { vector : row; circuit : Z; cover : Z }.

(* ---- Statements, in a space of d columns ---- *)
Open Scope R_scope.
Definition value (d : Z) (z : vec) (i : item) : R := dot d (coord (vector i)) z.
Definition strictly (d : Z) (items : list item) (z : vec) := forall i, In i items -> 0 < value d z i.
Definition weakly (d : Z) (items : list item) (z : vec) := forall i, In i items -> 0 <= value d z i.
Definition inseparable (d : Z) items :=
  (~ exists z, strictly d items z) /\ forall z, weakly d items z -> forall i, In i items -> value d z i = 0.
(* z shows weak separation; none is strict; whatever separates weakly has the n items on which z is zero at zero. *)
Definition quasi_separable (d : Z) items z (n : Z) :=
  weakly d items z /\ (exists i, In i items /\ 0 < value d z i) /\ (~ exists z', strictly d items z') /\
  exists tied, Z.of_nat (length tied) = n /\ (0 < n)%Z /\ (forall i, In i tied -> In i items) /\
    forall z', weakly d items z' -> forall i, In i tied -> value d z' i = 0.

(* ---- The check ---- *)
Open Scope Z_scope.
Inductive kind := Separating | Inseparable | Quasi.
Record state := State { balance : tree; total : tree; some : bool; strict : bool; tied : Z; good : bool }.
Definition start := State Empty Empty false false 0 true.
Section Check.
  Variables (k : kind) (h : nat) (d : Z) (W : Z -> Z) (ws q : Z).
  Definition product (r : row) : dy := match k with Inseparable => dzero | _ => vdot r W ws end.
  Definition step (s : state) (i : item) : state :=
    let p := man (product (vector i)) in
    if p =? 0 then
      State (add_row h (balance s) (dZ (circuit i)) (vector i)) (add_row h (total s) (dZ (q + cover i)) (vector i))
        (some s || (0 <? circuit i)) (strict s) (tied s + 1)
        (good s && inside d (vector i) && (0 <=? circuit i) && (0 <=? cover i) && match k with Separating => false | _ => true end)
    else
      State (balance s) (total s) (some s) true (tied s)
        (good s && inside d (vector i) && (0 <=? p) && (circuit i =? 0) && (cover i =? 0)).
  Definition finish (s : state) : bool :=
    good s && (0 <=? d) && (d <=? cap h) &&
    match k with
    | Separating => true
    | Inseparable => (0 <? q) && some s && tnull (balance s) && tnull (total s)
    | Quasi => (0 <? q) && some s && strict s && tnull (balance s) && tnull (total s)
    end.
  Definition check (items : list item) : bool := finish (fold_left step items start).

  (* ---- Soundness ---- *)
  Open Scope R_scope.
  Let z := weights_R W ws.
  Definition is_tied (i : item) : bool := (man (product (vector i)) =? 0)%Z.
  Definition on (f : item -> R) (i : item) : R := if is_tied i then f i else 0.

  Definition ok (i : item) : Prop :=
    inside d (vector i) = true /\ (0 <= circuit i)%Z /\ (0 <= cover i)%Z /\ (0 <= man (product (vector i)))%Z /\
    (k = Separating -> is_tied i = false) /\ (is_tied i = false -> circuit i = 0%Z).
  Lemma invariant : (d <= cap h)%Z -> forall items, let s := fold_left step items start in good s = true ->
    (forall i, In i items -> ok i) /\ fits h (balance s) /\ fits h (total s) /\
    (forall c, (0 <= c < cap h)%Z -> T (balance s) c = lsum (fun i => on (fun i => IZR (circuit i)) i * coord (vector i) c) items) /\
    (forall c, (0 <= c < cap h)%Z -> T (total s) c = lsum (fun i => on (fun i => IZR (q + cover i)) i * coord (vector i) c) items) /\
    (some s = true -> exists i, In i items /\ is_tied i = true /\ (0 < circuit i)%Z) /\
    (strict s = true -> exists i, In i items /\ is_tied i = false) /\ tied s = Z.of_nat (length (filter is_tied items)).
  Proof.
    intros D items. induction items as [|i items IH] using rev_ind; cbv zeta.
    - simpl. intros _. repeat split; try contradiction; try apply fits_empty; try (intros; apply T_empty); discriminate.
    - rewrite fold_left_app; cbn [fold_left]. set (s := fold_left step items start) in *. unfold step.
      destruct (Z.eqb_spec (man (product (vector i))) 0) as [Z0|NZ]; cbn [balance total some strict tied good]; intros G;
        repeat (apply andb_prop in G as [G ?]); destruct (IH G) as (A & F1 & F2 & B & C & E1 & E2 & N);
        assert (TI : is_tied i = (man (product (vector i)) =? 0)%Z) by reflexivity.
      + assert (TT : is_tied i = true) by (rewrite TI; apply Z.eqb_eq; exact Z0).
        destruct (add_row_spec h d D (dZ (circuit i)) (vector i) (balance s) F1 H2) as [F3 B'].
        destruct (add_row_spec h d D (dZ (q + cover i)) (vector i) (total s) F2 H2) as [F4 C'].
        split; [|split; [exact F3|split; [exact F4|split; [|split; [|split; [|split]]]]]].
        * intros i' I. apply in_app_or in I as [I|[<-|[]]]; auto. apply Z.leb_le in H1, H0.
          repeat split; auto; try lia; try (rewrite TT; discriminate). intros ->. discriminate.
        * intros c K. rewrite B', B, lsum_snoc by assumption. unfold on at 3. rewrite TT, dZ_R. reflexivity.
        * intros c K. rewrite C', C, lsum_snoc by assumption. unfold on at 3. rewrite TT, dZ_R. reflexivity.
        * intros Q. apply orb_prop in Q as [Q|Q].
          -- destruct (E1 Q) as (i' & I & R). exists i'; split; auto. apply in_or_app; auto.
          -- exists i. apply Z.ltb_lt in Q. repeat split; auto. apply in_or_app; simpl; auto.
        * intros Q. destruct (E2 Q) as (i' & I & R). exists i'; split; auto. apply in_or_app; auto.
        * rewrite filter_app, app_length, N. simpl. rewrite TT. simpl. lia.
      + assert (TT : is_tied i = false) by (rewrite TI; apply Z.eqb_neq; exact NZ).
        split; [|split; [exact F1|split; [exact F2|split; [|split; [|split; [|split]]]]]].
        * intros i' I. apply in_app_or in I as [I|[<-|[]]]; auto. apply Z.eqb_eq in H, H0. apply Z.leb_le in H1.
          repeat split; auto; lia.
        * intros c K. rewrite B, lsum_snoc by assumption. unfold on at 3. rewrite TT. lra.
        * intros c K. rewrite C, lsum_snoc by assumption. unfold on at 3. rewrite TT. lra.
        * intros Q. destruct (E1 Q) as (i' & I & R). exists i'; split; auto. apply in_or_app; auto.
        * intros _. exists i. split; auto. apply in_or_app; simpl; auto.
        * rewrite filter_app, app_length, N. simpl. rewrite TT. simpl. lia.
  Qed.

  Lemma product_value i : k <> Inseparable -> inside d (vector i) = true -> dR (product (vector i)) = value d z i.
  Proof. intros K I. unfold value. rewrite dot_coord by assumption. unfold product. destruct k; try congruence; apply vdot_R. Qed.
  Lemma cancels items (w : item -> R) (t : tree) : (0 <= d <= cap h)%Z -> tnull t = true ->
    (forall c, (0 <= c < cap h)%Z -> T t c = lsum (fun i => w i * coord (vector i) c) items) ->
    forall u, lsum (fun i => w i * value d u i) items = 0.
  Proof.
    intros D N E u. unfold value. rewrite <- (dot_combo d w (fun i => coord (vector i))).
    rewrite (dot_ext d _ (fun _ => 0) u u); auto.
    - unfold dot. rewrite (sum_ext _ _ (fun _ => 0)) by (intros; lra). apply sum_zero.
    - intros c C. rewrite <- E by lia. apply tnull_T; assumption.
  Qed.

  (* Gordan: the circuit leaves no strict separation; the cover ties what it covers. *)
  Lemma tied_sound items : (0 < q)%Z -> (0 <= d <= cap h)%Z -> let s := fold_left step items start in
    good s = true -> some s = true -> tnull (balance s) = true -> tnull (total s) = true ->
    (~ exists u, strictly d items u) /\ forall u, weakly d items u -> forall i, In i items -> is_tied i = true -> value d u i = 0.
  Proof.
    intros Q D s G S NB NT. destruct (invariant (proj2 D) items G) as (A & _ & _ & B & C & E & _).
    pose proof (cancels items _ _ D NB B) as ZB. pose proof (cancels items _ _ D NT C) as ZC. split.
    - intros [u U]. destruct (E S) as (i & I & TI & CI).
      assert (0 < lsum (fun i => on (fun i => IZR (circuit i)) i * value d u i) items); [|rewrite ZB in H; lra].
      apply lsum_pos.
      + intros i' I'. destruct (A i' I') as (_ & P & _). apply IZR_le in P. unfold on. destruct (is_tied i'); [|lra].
        apply Rmult_le_pos; auto. apply Rlt_le, U; assumption.
      + exists i; split; auto. unfold on; rewrite TI. apply IZR_lt in CI. apply Rmult_lt_0_compat; auto.
    - intros u U i I TI.
      assert (Z0 : on (fun i => IZR (q + cover i)) i * value d u i = 0).
      { apply (lsum_zero_all (fun i => on (fun i => IZR (q + cover i)) i * value d u i) items); auto.
        intros i' I'. destruct (A i' I') as (_ & _ & P & _). unfold on. destruct (is_tied i'); [|lra].
        assert (0 <= q + cover i')%Z by lia. apply IZR_le in H. apply Rmult_le_pos; auto. }
      destruct (A i I) as (_ & _ & P & _). unfold on in Z0; rewrite TI in Z0.
      assert (0 < q + cover i)%Z by lia. apply IZR_lt in H. apply Rmult_integral in Z0 as [Z0|Z0]; [lra|assumption].
  Qed.

  Theorem separation_sound items : check items = true ->
    match k with
    | Separating => strictly d items z
    | Inseparable => inseparable d items
    | Quasi => quasi_separable d items z (tied (fold_left step items start))
    end.
  Proof.
    unfold check, finish. set (s := fold_left step items start). intros H.
    apply andb_prop in H as [H K]. apply andb_prop in H as [H D2]. apply andb_prop in H as [G D1].
    apply Z.leb_le in D1, D2. destruct (invariant D2 items G) as (A & _ & _ & _ & _ & E1 & E2 & N).
    assert (NN : k <> Inseparable -> weakly d items z).
    { intros NK i I. destruct (A i I) as (IN & _ & _ & P & _). rewrite <- product_value by assumption.
      unfold dR. pose proof (pow2_pos (ex (product (vector i)))). apply IZR_le in P. apply Rmult_le_pos; lra. }
    assert (POS : k <> Inseparable -> forall i, In i items -> is_tied i = false -> 0 < value d z i).
    { intros NK i I TI. destruct (A i I) as (IN & _ & _ & P & _). rewrite <- product_value by assumption.
      unfold is_tied in TI. apply Z.eqb_neq in TI. unfold dR. pose proof (pow2_pos (ex (product (vector i)))).
      apply Rmult_lt_0_compat; auto. apply IZR_lt; lia. }
    destruct k eqn:EK.
    - intros i I. apply POS; auto; [discriminate|]. apply (A i I); assumption.
    - repeat (apply andb_prop in K as [K ?]). apply Z.ltb_lt in K.
      destruct (tied_sound items K (conj D1 D2) G) as [S1 S2]; auto. split; auto.
      intros u U i I. apply S2; auto. unfold is_tied, product. rewrite EK. reflexivity.
    - repeat (apply andb_prop in K as [K ?]). apply Z.ltb_lt in K.
      destruct (tied_sound items K (conj D1 D2) G) as [S1 S2]; auto.
      assert (NK : Quasi <> Inseparable) by discriminate. split; [auto|]. split; [|split; [assumption|]].
      + destruct (E2 H1) as (i & I & TI). exists i; split; auto.
      + exists (filter is_tied items). split; [auto|]. split; [|split].
        * destruct (E1 H2) as (i & I & TI & _). unfold s. rewrite N.
          assert (In i (filter is_tied items)) by (apply filter_In; auto). destruct (filter is_tied items); [contradiction|simpl; lia].
        * intros i I. apply filter_In in I. tauto.
        * intros u U i I. apply filter_In in I as [I TI]. auto.
  Qed.
End Check.
