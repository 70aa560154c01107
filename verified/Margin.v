(* separating with a margin: the maximum margin of two sides lies between two bounds. One pass over the rows. *)
From Separatrix Require Import Numbers Rows Trees.
From Separatrix Require Optimal.
Open Scope Z_scope.

(* A row that takes part, its side, and its weight in the proof of the upper bound. *)
Record item := Item { x : row; y : Z; weight : Z }.

(* ---- The statement ---- *)
Open Scope R_scope.
(* (w, b) keeps every row at a distance of at least m on its own side; no b where there is no bias. *)
Definition reaches (bias : bool) (d : Z) (items : list item) (w : vec) (b m : R) : Prop :=
  (bias = false -> b = 0) /\ 0 < dot d w w /\
  forall i, In i items -> m * sqrt (dot d w w) <= IZR (y i) * (dot d (coord (x i)) w + b).
Definition margin_between bias d items (lower upper : R) : Prop :=
  (exists w b, reaches bias d items w b lower) /\ forall w b m, reaches bias d items w b m -> m <= upper.

(* ---- The check ---- *)
Open Scope Z_scope.
Record state := State { apart : tree; weights : Z; unbalance : Z; positive : option dy; negative : option dy; good : bool }.
Definition start := State Empty 0 0 None None true.
Definition least (o : option dy) (a : dy) : option dy := Some (match o with None => a | Some b => dmin b a end).
Section Check.
  Variables (bias : bool) (h : nat) (d : Z) (W : Z -> Z) (ws : Z) (lower upper : dy).
  Definition step (s : state) (i : item) : state :=
    let p := dscale (y i) (vdot (x i) W ws) in
    let up := y i =? 1 in
    State (add_row h (apart s) (dZ (weight i * y i)) (x i)) (weights s + weight i) (unbalance s + weight i * y i)
      (if up then least (positive s) p else positive s) (if up then negative s else least (negative s) p)
      (good s && inside d (x i) && Optimal.side (y i) && (0 <=? weight i)).
  (* Twice the distance that w reaches with the best b, or the distance without a bias; 0 where a side has no row. *)
  Definition width (s : state) : dy :=
    match positive s, negative s with
    | Some a, Some b => if bias then dadd a b else dmin a b
    | Some a, None => if bias then dzero else a
    | None, Some b => if bias then dzero else b
    | None, None => dzero
    end.
  Definition times : Z := if bias then 2 else 1.
  Definition finish (s : state) : bool :=
    good s && (0 <=? d) && (d <=? cap h) && (0 <? weights s) && (negb bias || (unbalance s =? 0)) &&
    (0 <=? man lower) && dle lower upper && (0 <? man (width s)) &&
    dle (dmul (dsq (dscale times lower)) (square_of h d W ws)) (dsq (width s)) &&
    dle (tsq (apart s)) (dsq (dscale (weights s) upper)) && (0 <? man (square_of h d W ws)).
  Definition check (items : list item) : bool := finish (fold_left step items start).

  (* ---- Soundness ---- *)
  Open Scope R_scope.
  Let w := weights_R W ws.
  Definition bounds (o : option dy) (v : R) : Prop := exists a, o = Some a /\ dR a <= v.
  Lemma least_bounds o a v : (bounds o v -> bounds (least o a) v) /\ bounds (least o a) (dR a).
  Proof.
    unfold bounds, least. split.
    - intros (b & -> & L). eexists; split; [reflexivity|]. destruct (dmin_R b a). lra.
    - eexists; split; [reflexivity|]. destruct o; [destruct (dmin_R d0 a)|]; lra.
  Qed.
  Lemma invariant : (d <= cap h)%Z -> forall items, let s := fold_left step items start in good s = true ->
    (forall i, In i items -> inside d (x i) = true /\ (y i = 1 \/ y i = -1)%Z /\ (0 <= weight i)%Z /\
       bounds (if (y i =? 1)%Z then positive s else negative s) (IZR (y i) * dot d (coord (x i)) w)) /\
    fits h (apart s) /\ (forall c, (0 <= c < cap h)%Z -> T (apart s) c = lsum (fun i => IZR (weight i) * IZR (y i) * coord (x i) c) items) /\
    IZR (weights s) = lsum (fun i => IZR (weight i)) items /\ IZR (unbalance s) = lsum (fun i => IZR (weight i) * IZR (y i)) items.
  Proof.
    intros D items. induction items as [|i items IH] using rev_ind; cbv zeta.
    - simpl. intros _. repeat split; try contradiction; [apply fits_empty | intros; apply T_empty].
    - rewrite fold_left_app; cbn [fold_left]. set (s := fold_left step items start) in *. cbn [step apart weights unbalance positive negative good].
      intros G. apply andb_prop in G as [G W0]. apply andb_prop in G as [G SI]. apply andb_prop in G as [G IN]. destruct (IH G) as (A & F & P & S & U).
      assert (Y : (y i = 1 \/ y i = -1)%Z) by (unfold Optimal.side in SI; apply orb_prop in SI as [K|K]; apply Z.eqb_eq in K; auto).
      apply Z.leb_le in W0. destruct (add_row_spec h d D (dZ (weight i * y i)) (x i) (apart s) F IN) as [F' P'].
      set (p := dscale (y i) (vdot (x i) W ws)).
      assert (PV : dR p = IZR (y i) * dot d (coord (x i)) w) by (unfold p; rewrite dscale_R, vdot_R, dot_coord by assumption; reflexivity).
      split; [|split; [exact F'|repeat split]].
      + intros i' I. apply in_app_or in I as [I|[<-|[]]].
        * destruct (A i' I) as (A1 & A2 & A3 & A4). split; [auto|]. split; [auto|]. split; [auto|].
          destruct (y i' =? 1)%Z, (y i =? 1)%Z; auto; apply least_bounds; auto.
        * split; [auto|]. split; [auto|]. split; [auto|]. rewrite <- PV. destruct (y i =? 1)%Z; apply (least_bounds _ p 0).
      + intros c K. rewrite P', P, lsum_snoc, dZ_R, mult_IZR by assumption. reflexivity.
      + rewrite plus_IZR, lsum_snoc, S. reflexivity.
      + rewrite plus_IZR, mult_IZR, lsum_snoc, U. reflexivity.
  Qed.

  Theorem margin_sound items : check items = true -> margin_between bias d items (dR lower) (dR upper).
  Proof.
    unfold check, finish. set (s := fold_left step items start). intros H. do 10 (apply andb_prop in H as [H ?]).
    rename H0 into NZ, H1 into UP, H2 into LO, H3 into WI, H4 into LU, H5 into L0, H6 into BA, H7 into WS, H8 into DH, H9 into D0.
    apply Z.leb_le in D0, DH, L0. apply Z.ltb_lt in WS, WI, NZ. apply dle_R in UP, LO, LU.
    apply man_nonneg in L0. apply man_pos in WI, NZ. rewrite square_of_R in NZ by lia. fold w in NZ. apply IZR_lt in WS.
    destruct (invariant DH items H) as (A & F & P & S & U). fold s in A, F, P, S, U.
    rewrite (tsq_R h), dsq_R, dscale_R in UP by assumption. rewrite dmul_R, !dsq_R, dscale_R, square_of_R in LO by lia. fold w in LO. split.
    - set (b := if bias then match positive s, negative s with Some a, Some c => / 2 * (dR c - dR a) | _, _ => 0 end else 0).
      assert (E : forall i, In i items -> dR (width s) <= IZR times * (IZR (y i) * (dot d (coord (x i)) w + b))).
      { intros i I. destruct (A i I) as (_ & Y & _ & a & E & L). unfold b, width, times in *.
        destruct Y as [Y|Y]; rewrite Y in *; cbn [Z.eqb Pos.eqb] in E; rewrite E in *;
          [destruct (negative s) as [c|] | destruct (positive s) as [c|]]; destruct bias; rewrite ?dadd_R, ?dzero_R in *; try lra;
          [destruct (dmin_R a c) | destruct (dmin_R c a)]; lra. }
      exists w, b.
      split; [unfold b; intros ->; reflexivity|]. split; [assumption|]. intros i I. specialize (E i I).
      assert (TP : 1 <= IZR times) by (unfold times; destruct bias; lra).
      pose proof (sqrt_sqrt (dot d w w) ltac:(lra)) as SS. pose proof (sqrt_pos (dot d w w)).
      assert (IZR times * dR lower * sqrt (dot d w w) <= dR (width s)).
      { apply le_of_sq; [lra|]. eapply Rle_trans; [|exact LO]. rewrite <- SS at 3. right. ring. }
      apply Rmult_le_reg_l with (IZR times); lra.
    - intros w' b m (B0 & NZ' & R). pose proof (sqrt_sqrt (dot d w' w') ltac:(lra)) as SS. pose proof (sqrt_lt_R0 _ NZ') as SP.
      set (q := sqrt (dot d w' w')) in *.
      assert (E : m * q * IZR (weights s) <= dot d (T (apart s)) w').
      { rewrite (dot_ext d (T (apart s)) (fun c => lsum (fun i => IZR (weight i) * IZR (y i) * coord (x i) c) items) w' w')
          by (intros; auto; apply P; lia).
        rewrite (dot_combo d (fun i => IZR (weight i) * IZR (y i)) (fun i => coord (x i))). rewrite S, <- lsum_scale.
        assert (UB : lsum (fun i => b * (IZR (weight i) * IZR (y i))) items = 0).
        { rewrite lsum_scale, <- U. destruct bias; simpl in BA; [apply Z.eqb_eq in BA; rewrite BA; ring | rewrite B0 by reflexivity; ring]. }
        rewrite <- (Rplus_0_r (lsum (fun i => _ * dot d _ _) items)), <- UB, <- lsum_plus. apply lsum_le; intros i I.
        destruct (A i I) as (_ & _ & W0 & _). apply IZR_le in W0. specialize (R i I). fold q in R.
        assert (IZR (weight i) * (m * q) <= IZR (weight i) * (IZR (y i) * (dot d (coord (x i)) w' + b))) by (apply Rmult_le_compat_l; assumption). lra. }
      assert (C : dot d (T (apart s)) w' <= IZR (weights s) * dR upper * q).
      { assert (Q : 0 <= IZR (weights s) * dR upper) by (apply Rmult_le_pos; lra). apply le_of_sq; [apply Rmult_le_pos; lra|].
        rewrite <- (dot_clip d (cap h) (T (apart s)) w') by lia.
        eapply Rle_trans; [apply cauchy|]. replace (dot (cap h) (clip d w') (clip d w')) with (q * q).
        - replace (IZR (weights s) * dR upper * q * (IZR (weights s) * dR upper * q)) with (IZR (weights s) * dR upper * (IZR (weights s) * dR upper) * (q * q)) by ring.
          apply Rmult_le_compat_r; [apply Rsq_nonneg | assumption].
        - rewrite (dot_clip d (cap h)) by lia. rewrite SS. apply dot_ext; intros; auto; symmetry; apply clip_in; assumption. }
      assert (m * (q * IZR (weights s)) <= dR upper * (q * IZR (weights s))) by lra.
      apply Rmult_le_reg_r with (q * IZR (weights s)); [apply Rmult_lt_0_compat; assumption | assumption].
  Qed.
End Check.
