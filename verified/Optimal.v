(* optimal, without a kernel: where the optimum of the soft margin lies. One pass over the rows. *)
From Separatrix Require Import Numbers Rows Trees Duality.
Open Scope Z_scope.

(* A row that takes part, its side +1 or -1, its cost C_i and its alpha_i. *)
Record sample := Sample { x : row; y : Z; cost : dy; alpha : dy }.

(* ---- The statement ---- *)
Open Scope R_scope.
Definition objective (l : loss_kind) (k : bias_kind) (d : Z) (samples : list sample) (w : vec) (b : R) : R :=
  / 2 * dot d w w + penalty k b
  + lsum (fun i => dR (cost i) * loss l (IZR (y i) * (dot d (coord (x i)) w + b))) samples.
(* (w, b) is a candidate whose value is at most upper, and no candidate has one below lower. *)
Definition optimum_between l k d samples (w : vec) (b lower upper : R) :=
  allowed k b /\ objective l k d samples w b <= upper /\
  forall w' b', allowed k b' -> lower <= objective l k d samples w' b'.

(* ---- The check ---- *)
Open Scope Z_scope.
Record state := State { pull : tree; losses : dy; gain : dy; unbalance : dy; good : bool }.
Definition start := State Empty dzero dzero dzero true.
(* C loss(m) from 1 - m. *)
Definition cost_of (l : loss_kind) (c s : dy) : dy :=
  if man s <=? 0 then dzero else match l with Hinge => dmul c s | Squared => dmul c (dmul s s) end.
(* What alpha adds to the dual value, and whether it is in its bounds. *)
Definition gain_of (l : loss_kind) (c a : dy) : dy :=
  match l with Hinge => a | Squared => if man a =? 0 then a else dsub a (quotient a c) end.
Definition bounded (l : loss_kind) (c a : dy) : bool :=
  (0 <? man c) && (0 <=? man a) && match l with Hinge => (man a =? 0) || dle a c | Squared => true end.
Definition side (s : Z) : bool := (s =? 1) || (s =? -1).
Definition sane (lower upper : dy) : bool :=
  (0 <=? man upper) && dle lower upper && (negb (man upper =? 0) || (man lower =? 0)).
Open Scope R_scope.
Lemma side_R s : side s = true -> IZR s * IZR s = 1.
Proof. unfold side. intros H. apply orb_prop in H as [H|H]; apply Z.eqb_eq in H; subst; lra. Qed.
Lemma cost_of_R l c s m : dR s = 1 - m -> 0 <= dR c -> dR (cost_of l c s) = dR c * loss l m.
Proof.
  intros E C. unfold cost_of, loss, slack. destruct (Z.leb_spec (man s) 0) as [S|S].
  - apply man_neg in S. rewrite Rmax_left by lra. destruct l; rewrite dzero_R; ring.
  - apply man_pos in S. rewrite Rmax_right by lra. destruct l; rewrite !dmul_R, E; ring.
Qed.
Definition quotient_of_dy l (c a : dy) : R := dR a - dR (gain_of l c a).
Definition in_bounds l (c a : dy) : Prop := 0 <= dR a /\ 0 < dR c /\
  match l with Hinge => dR a <= dR c /\ 0 <= quotient_of_dy l c a | Squared => dR a * dR a <= 4 * dR c * quotient_of_dy l c a end.
Lemma bounded_R l c a : bounded l c a = true -> in_bounds l c a.
Proof.
  unfold bounded, in_bounds, quotient_of_dy, gain_of. intros B. apply andb_prop in B as [B B']. apply andb_prop in B as [C A].
  apply Z.ltb_lt in C. apply Z.leb_le in A. pose proof (man_pos _ C) as C'. pose proof (man_nonneg _ A).
  split; [auto|]. split; [auto|]. destruct l.
  - apply orb_prop in B' as [B'|B']; [apply Z.eqb_eq, man_zero in B' | apply dle_R in B']; lra.
  - destruct (Z.eqb_spec (man a) 0) as [Z0|NZ]; [rewrite (man_zero _ Z0); lra|].
    rewrite dsub_R. pose proof (quotient_R a c C).
    replace (dR a - (dR a - dR (quotient a c))) with (dR (quotient a c)) by ring. auto.
Qed.
Open Scope Z_scope.
Section Check.
  Variables (l : loss_kind) (k : bias_kind) (h : nat) (d : Z) (W : Z -> Z) (ws : Z) (b lower upper : dy).
  Definition step (s : state) (i : sample) : state :=
    let f := dadd (vdot (x i) W ws) b in
    let c := cost_of l (cost i) (dsub done (dscale (y i) f)) in
    let fine := good s && inside d (x i) && side (y i) && bounded l (cost i) (alpha i) in
    if man (alpha i) =? 0 then State (pull s) (dadd (losses s) c) (gain s) (unbalance s) fine
    else State (add_row h (pull s) (dscale (y i) (alpha i)) (x i)) (dadd (losses s) c)
           (dadd (gain s) (gain_of l (cost i) (alpha i))) (dadd (unbalance s) (dscale (y i) (alpha i))) fine.
  Definition bias_term (v : dy) : dy := match k with Augmented => dhalf (dsq v) | _ => dzero end.
  Definition primal (s : state) : dy := dadd (dadd (dhalf (square_of h d W ws)) (bias_term b)) (losses s).
  Definition dual (s : state) : dy := dsub (dsub (gain s) (dhalf (tsq (pull s)))) (bias_term (unbalance s)).
  Definition balanced (v : dy) : bool := match k with Free => deq0 v | NoBias => deq0 b | Augmented => true end.
  Definition finish (s : state) : bool :=
    good s && (0 <=? d) && (d <=? cap h) && balanced (unbalance s) && dle (primal s) upper && dle lower (dual s) && sane lower upper.
  Definition check (samples : list sample) : bool := finish (fold_left step samples start).

  (* ---- Soundness ---- *)
  Open Scope R_scope.
  Definition quotient_of (i : sample) : R := quotient_of_dy l (cost i) (alpha i).
  Definition fair (i : sample) : Prop := inside d (x i) = true /\ IZR (y i) * IZR (y i) = 1 /\ in_bounds l (cost i) (alpha i).
  Lemma bounded_fair i : inside d (x i) = true -> side (y i) = true -> bounded l (cost i) (alpha i) = true -> fair i.
  Proof. intros I S B. split; [assumption|]. split; [apply side_R; assumption | apply bounded_R; assumption]. Qed.

  Let w := weights_R W ws.
  Lemma invariant : (d <= cap h)%Z -> forall samples, let s := fold_left step samples start in good s = true ->
    (forall i, In i samples -> fair i) /\ fits h (pull s) /\
    (forall c, (0 <= c < cap h)%Z -> T (pull s) c = lsum (fun i => dR (alpha i) * IZR (y i) * coord (x i) c) samples) /\
    dR (losses s) = lsum (fun i => dR (cost i) * loss l (IZR (y i) * (dot d (coord (x i)) w + dR b))) samples /\
    dR (gain s) = lsum (fun i => dR (alpha i) - quotient_of i) samples /\
    dR (unbalance s) = lsum (fun i => dR (alpha i) * IZR (y i)) samples.
  Proof.
    intros D samples. induction samples as [|i samples IH] using rev_ind; cbv zeta.
    - simpl. intros _. repeat split; try contradiction; try apply fits_empty; try (intros; apply T_empty); apply dzero_R.
    - rewrite fold_left_app; cbn [fold_left]. set (s := fold_left step samples start) in *. intros G.
      assert (G' : good s && inside d (x i) && side (y i) && bounded l (cost i) (alpha i) = true).
      { unfold step in G. destruct (man (alpha i) =? 0)%Z; exact G. }
      apply andb_prop in G' as [G' BO]. apply andb_prop in G' as [G' SI]. apply andb_prop in G' as [G' IN].
      destruct (IH G') as (A & F & P & L & N & U).
      assert (FI : fair i) by (apply bounded_fair; assumption).
      assert (LI : dR (cost_of l (cost i) (dsub done (dscale (y i) (dadd (vdot (x i) W ws) b)))) =
        dR (cost i) * loss l (IZR (y i) * (dot d (coord (x i)) w + dR b))).
      { apply cost_of_R; [|apply Rlt_le, (proj2 (proj2 FI))]. rewrite dsub_R, done_R, dscale_R, dadd_R, vdot_R, dot_coord by assumption. reflexivity. }
      assert (GI : forall i', In i' (samples ++ [i]) -> fair i').
      { intros i' I. apply in_app_or in I as [I|[<-|[]]]; auto. }
      unfold step. destruct (Z.eqb_spec (man (alpha i)) 0) as [Z0|NZ]; cbn [pull losses gain unbalance].
      + pose proof (man_zero _ Z0) as Z1. split; [exact GI|]. split; [exact F|]. repeat split.
        * intros c K. rewrite P, lsum_snoc, Z1 by assumption. ring.
        * rewrite dadd_R, lsum_snoc, L, LI. reflexivity.
        * rewrite lsum_snoc, <- N. unfold quotient_of, quotient_of_dy, gain_of. rewrite Z0, Z.eqb_refl. destruct l; rewrite Z1; ring.
        * rewrite lsum_snoc, <- U, Z1. ring.
      + destruct (add_row_spec h d D (dscale (y i) (alpha i)) (x i) (pull s) F IN) as [F' P'].
        split; [exact GI|]. split; [exact F'|]. repeat split.
        * intros c K. rewrite P', P, lsum_snoc, dscale_R by assumption. ring.
        * rewrite dadd_R, lsum_snoc, L, LI. reflexivity.
        * rewrite dadd_R, lsum_snoc, <- N. unfold quotient_of, quotient_of_dy. ring.
        * rewrite dadd_R, lsum_snoc, <- U, dscale_R. ring.
  Qed.

  Lemma bias_term_R v : dR (bias_term v) = match k with Augmented => / 2 * (dR v * dR v) | _ => 0 end.
  Proof. unfold bias_term. destruct k; rewrite ?dhalf_R, ?dsq_R, ?dzero_R; reflexivity. Qed.

  Theorem optimal_sound samples : check samples = true -> optimum_between l k d samples w (dR b) (dR lower) (dR upper).
  Proof.
    unfold check, finish. set (s := fold_left step samples start). intros H.
    apply andb_prop in H as [H _]. apply andb_prop in H as [H LO]. apply andb_prop in H as [H UP].
    apply andb_prop in H as [H BA]. apply andb_prop in H as [H D2]. apply andb_prop in H as [G D1].
    apply Z.leb_le in D1, D2. apply dle_R in LO, UP. destruct (invariant D2 samples G) as (A & F & P & L & N & U).
    fold s in F, P, L, N, U. split; [|split].
    - unfold balanced in BA. destruct k; simpl; auto. apply deq0_R; assumption.
    - unfold objective. fold w. rewrite <- L. unfold primal in UP. rewrite !dadd_R, dhalf_R, square_of_R, bias_term_R in UP by lia.
      fold w in UP. unfold penalty. destruct k; lra.
    - intros w' b' AL.
      pose proof (weak_duality (fun i => IZR (y i)) (fun i => dR (cost i)) (fun i => dR (alpha i)) quotient_of samples
        (fun i => dot d (coord (x i)) w') (dot d w' w') (dR (tsq (pull s))) b' k AL) as WD.
      apply Rle_trans with (dual_value (fun i => IZR (y i)) (fun i => dR (alpha i)) quotient_of samples k (dR (tsq (pull s)))).
      + unfold dual in LO. rewrite !dsub_R, dhalf_R, bias_term_R, N, U in LO. unfold dual_value, imbalance. destruct k; lra.
      + apply WD.
        * intros KF. unfold imbalance. rewrite <- U. apply deq0_R. unfold balanced in BA. rewrite KF in BA. exact BA.
        * rewrite <- (dot_combo d (fun i => dR (alpha i) * IZR (y i)) (fun i => coord (x i))).
          rewrite (tsq_R h) by assumption.
          rewrite (dot_ext d _ (T (pull s)) w' w') by (intros; try symmetry; auto; try apply P; lia).
          rewrite <- (dot_clip d (cap h) (T (pull s)) w') by lia.
          pose proof (young (cap h) (T (pull s)) (clip d w')) as Y.
          rewrite (dot_clip d (cap h) (clip d w') w') in Y by lia.
          rewrite (dot_ext d (clip d w') w' w' w') in Y by (intros; auto; apply clip_in; assumption). lra.
        * intros i I. exact (proj2 (proj2 (A i I))).
  Qed.
End Check.
