(* mistakes: this variant of the perceptron makes at most K updates, and counted updates separate the rows. *)
From Separatrix Require Import Numbers Rows Trees Convergence Variants.
Open Scope Z_scope.

(* A row, how often it was updated, and whether the run started at it. *)
Record item := Item { vector : row; updates : Z; starts : bool }.

(* ---- Statements ---- *)
Open Scope R_scope.
Definition rows_of (items : list item) : list row := map vector items.
Definition at_most (D p : Z) (g : R) items alg rule from_row (K : Z) : Prop :=
  forall t z, run D p g (rows_of items) alg rule from_row t z -> (Z.of_nat t <= K)%Z.
(* The weights that the updates imply, with a step s, have every product above 0. *)
Definition implied (p : Z) (g s : R) (items : list item) : vec := fun j =>
  lsum (fun i => (IZR (updates i) * s + (if starts i then 1 else 0)) * (gam p g j * coord (vector i) j)) items.
Definition updates_separate D p g s items : Prop :=
  forall i, In i items -> 0 < dot D (coord (vector i)) (implied p g s items).

(* ---- Rows as an update adds them ---- *)
Open Scope Z_scope.
(* Each part lies in the columns below p, or in those of the bias, from p to D - 1. *)
Definition placed (p D : Z) (r : row) : bool :=
  forallb (fun part => let '(_, off, es) := part in if off <? p then inside_entries p off es else inside_entries (D - p) (off - p) es) r.
(* The columns of the bias times g. *)
Definition with_gain (p : Z) (g : dy) (r : row) : row :=
  map (fun part => let '(k, off, es) := part in (if off <? p then k else dmul g k, off, es)) r.
(* The squared length of a row, with the columns of the bias weighted by g. *)
Definition row_square (h : nat) (p : Z) (g : dy) (r : row) : dy := tdot r (add_row h Empty done (with_gain p g r)).
Open Scope R_scope.
Lemma inside_block es lo hi D off : (0 <= lo)%Z -> (hi <= D)%Z -> inside_entries (hi - lo) (off - lo) es = true ->
  inside_entries D off es = true /\ forall c, ~ (lo <= c < hi)%Z -> unit_sum es off (fun j => if (j =? c)%Z then 1 else 0) = 0.
Proof.
  intros L R. induction es as [|[j m] es IH]; simpl; intros H; auto. apply andb_prop in H as [H H']. apply within_iff in H.
  destruct (IH H') as [I Z]. rewrite I, andb_true_r. split; [apply within_iff; lia|]. intros c C. rewrite Z by assumption.
  destruct (Z.eqb_spec (off + j) c); [lia|ring].
Qed.
Lemma gam_weight p g j : (j < p)%Z -> gam p g j = 1.
Proof. unfold gam. destruct (Z.ltb_spec j p); [auto|lia]. Qed.
Lemma gam_bias p g j : (p <= j)%Z -> gam p g j = g.
Proof. unfold gam. destruct (Z.ltb_spec j p); [lia|auto]. Qed.
Lemma placed_spec p D g r : (0 <= p <= D)%Z -> placed p D r = true ->
  inside D r = true /\ inside D (with_gain p g r) = true /\ forall c, coord (with_gain p g r) c = gam p (dR g) c * coord r c.
Proof.
  intros PD. unfold coord. induction r as [|[[k off] es] r IH]; simpl; intros H; [repeat split; intros; ring|].
  apply andb_prop in H as [H H']. destruct (IH H') as (I1 & I2 & E).
  destruct (off <? p)%Z; [rewrite <- (Z.sub_0_r p), <- (Z.sub_0_r off) in H; apply (inside_block es 0 p D) in H as [I Z]
    | apply (inside_block es p D D) in H as [I Z]]; try lia;
    rewrite I, I1, I2; (split; [auto|split; [auto|]]); intros c; rewrite E; destruct (Z_lt_le_dec c p) as [C|C];
    rewrite ?dmul_R, ?(gam_weight p (dR g) c C), ?(gam_bias p (dR g) c C); rewrite ?Z by lia; ring.
Qed.
Lemma row_square_R h p D g r : (0 <= p <= D)%Z -> (D <= cap h)%Z -> placed p D r = true ->
  dR (row_square h p g r) = sum D (fun j => gam p (dR g) j * coord r j * coord r j).
Proof.
  intros PD DH H. destruct (placed_spec p D g r PD H) as (I1 & I2 & E). unfold row_square. rewrite tdot_R.
  destruct (add_row_spec h D DH done (with_gain p g r) Empty (fits_empty h) I2) as [_ S].
  rewrite <- (dot_coord D) by assumption. apply sum_ext; intros j J. rewrite S, T_empty, done_R, E by lia. ring.
Qed.

(* ---- The check: one pass for the bound, and a second one where updates were counted ---- *)
Open Scope Z_scope.
Record state := State { largest : dy; least : dy; count : Z; sums : tree; good : bool }.
Definition start := State dzero dzero 0 Empty true.
Section Check.
  Variables (h : nat) (D p : Z) (g : dy) (W : Z -> Z) (ws : Z) (s : dy).
  Definition times (i : item) : dy := dadd (dscale (updates i) s) (dZ (if starts i then 1 else 0)).
  Definition step (st : state) (i : item) : state :=
    let m := vdot (vector i) W ws in
    State (dmax (largest st) (row_square h p g (vector i))) (if count st =? 0 then m else dmin (least st) m) (count st + 1)
      (add_row h (sums st) (times i) (with_gain p g (vector i))) (good st && placed p D (vector i)).
  Definition second (t : tree) (fine : bool) (i : item) : bool := fine && (0 <? man (tdot (vector i) t)).
  Definition w_square : dy := square_of h p W ws.
  Definition b_square : dy := square_of h (D - p) (fun j => W (p + j)) ws.
  (* rho = numerator / denominator *)
  Definition numerator (st : state) : dy :=
    dmul (largest st) (if D =? p then w_square else dadd (dmul g w_square) b_square).
  Definition denominator (st : state) : dy := let m := dsq (least st) in if D =? p then m else dmul g m.
  Definition finish (alg : algorithm) (r : rule) (from_row : bool) (K : Z) (st : state) : bool :=
    good st && (0 <=? p) && (p <=? D) && (D <=? cap h) && ((D =? p) || (0 <? man g)) && (0 <=? K) && (0 <? count st) &&
    (0 <? man (least st)) && excluded alg r from_row (count st) K (numerator st) (denominator st).
  Definition check alg r from_row K (items : list item) : bool := finish alg r from_row K (fold_left step items start).
  Definition check_updates (items : list item) : bool := fold_left (second (sums (fold_left step items start))) items true.

  (* ---- Soundness ---- *)
  Open Scope R_scope.
  Lemma invariant : forall items, let st := fold_left step items start in good st = true ->
    (forall i, In i items -> placed p D (vector i) = true /\ dR (row_square h p g (vector i)) <= dR (largest st) /\
       dR (least st) <= dR (vdot (vector i) W ws)) /\ 0 <= dR (largest st) /\ count st = Z.of_nat (length items) /\
    ((0 <= p <= D)%Z -> (D <= cap h)%Z -> fits h (sums st) /\ forall c, (0 <= c < cap h)%Z ->
       T (sums st) c = lsum (fun i => dR (times i) * coord (with_gain p g (vector i)) c) items).
  Proof.
    induction items as [|i items IH] using rev_ind; cbv zeta.
    - simpl. intros _. repeat split; try contradiction; try apply fits_empty; [rewrite dzero_R; lra | intros; apply T_empty].
    - rewrite fold_left_app; cbn [fold_left]. set (st := fold_left step items start) in *. cbn [step good largest least count sums].
      intros G. apply andb_prop in G as [G PL]. destruct (IH G) as (A & L0 & C & TS).
      destruct (dmax_R (largest st) (row_square h p g (vector i))) as [X1 X2].
      set (m := vdot (vector i) W ws). set (le := if (count st =? 0)%Z then m else dmin (least st) m).
      assert (LE : dR le <= dR m /\ (items <> [] -> dR le <= dR (least st))).
      { unfold le. destruct (Z.eqb_spec (count st) 0) as [Z0|NZ].
        - split; [lra|]. intros N. rewrite C in Z0. destruct items; [congruence | simpl in Z0; lia].
        - destruct (dmin_R (least st) m). lra. }
      split; [|split; [lra|split; [rewrite app_length, C; simpl; lia|]]].
      + intros i' I. apply in_app_or in I as [I|[<-|[]]].
        * assert (items <> []) by (destruct items; [contradiction|discriminate]). destruct (A i' I) as (P & R & M).
          destruct LE as [_ LE]. specialize (LE H). split; [assumption|]. lra.
        * split; [assumption|]. split; [assumption|]. apply LE.
      + intros PD DH. destruct (TS PD DH) as [F S].
        destruct (placed_spec p D g _ PD PL) as (_ & IN & _).
        destruct (add_row_spec h D DH (times i) _ (sums st) F IN) as [F' S']. split; auto.
        intros c K. rewrite S', S, lsum_snoc by assumption. reflexivity.
  Qed.

  Theorem mistakes_sound alg r from_row K items : check alg r from_row K items = true ->
    at_most D p (dR g) items alg (rule_R r) from_row K.
  Proof.
    unfold check, finish. set (st := fold_left step items start). intros H.
    do 8 (apply andb_prop in H as [H ?]). rename H0 into EX, H1 into ML, H2 into CN, H3 into K0, H4 into GG, H5 into DH, H6 into PD, H7 into P0.
    apply Z.leb_le in P0, PD, DH, K0. apply Z.ltb_lt in ML, CN. destruct (invariant items H) as (A & L0 & C & _).
    fold st in A, L0, C. set (rows := rows_of items).
    assert (LEN : length rows = length items) by apply map_length.
    apply man_pos in ML as M0.
    assert (G : 0 < dR g \/ p = D).
    { apply orb_prop in GG as [GG|GG]; [right; symmetry; apply Z.eqb_eq; assumption | left; apply Z.ltb_lt, man_pos in GG; assumption]. }
    set (u := weights_R W ws). intros t z RUN. destruct (Z_le_gt_dec (Z.of_nat t) K) as [|GT]; [assumption|exfalso].
    destruct (shorter D p (dR g) rows alg (rule_R r) from_row t z RUN (Z.to_nat (K + 1)) ltac:(lia)) as [z' RUN'].
    destruct (novikoff D p (dR g) rows alg (rule_R r) from_row u (dR (least st)) (dR (largest st)) G M0 L0) with (4 := RUN') as (a & b & TR & NV).
    - intros r' I. apply in_map_iff in I as (i & <- & I). destruct (A i I) as (PL & _ & M). rewrite dot_coord by (apply (placed_spec p D g); auto; lia).
      unfold u. rewrite <- vdot_R. assumption.
    - intros r' I. apply in_map_iff in I as (i & <- & I). destruct (A i I) as (PL & R & _). rewrite <- (row_square_R h p D g) by (auto; lia). assumption.
    - unfold excluded in EX. destruct r; simpl; auto. apply andb_prop in EX as [EX _]. apply Z.ltb_lt, man_pos in EX. assumption.
    - rewrite C, <- LEN in EX.
      assert (UU : sum D (fun j => / gam p (dR g) j * u j * u j) = dot p u u + / dR g * dot (D - p) (fun j => u (p + j)%Z) (fun j => u (p + j)%Z)).
      { unfold sum at 1. replace (Z.to_nat D) with (Z.to_nat p + Z.to_nat (D - p))%nat by lia. rewrite sumn_add. unfold dot, sum. f_equal.
        - apply sumn_ext. intros j J. rewrite gam_weight by lia. field.
        - rewrite <- sumn_scale. apply sumn_ext. intros j J. rewrite Z2Nat.id, gam_bias by lia. ring. }
      assert (WS : dR w_square = dot p u u) by (apply square_of_R; lia).
      assert (BS : dR b_square = dot (D - p) (fun j => u (p + j)%Z) (fun j => u (p + j)%Z)) by (unfold b_square; rewrite square_of_R by lia; reflexivity).
      pose proof (dot_self p u). pose proof (dot_self (D - p) (fun j => u (p + j)%Z)).
      unfold ip in NV. rewrite UU, <- WS, <- BS in NV. rewrite <- WS in H0. rewrite <- BS in H1. unfold numerator, denominator in EX.
      refine (excluded_sound rows alg r from_row K _ _ a b K0 _ _ _ EX TR _).
      + rewrite LEN. lia.
      + rewrite dmul_R. apply Rmult_le_pos; [assumption|]. destruct (Z.eqb_spec D p); [assumption|]. destruct G as [G|]; [|lia].
        rewrite dadd_R, dmul_R. assert (0 <= dR g * dR w_square) by (apply Rmult_le_pos; lra). lra.
      + destruct (Z.eqb_spec D p); rewrite ?dmul_R, dsq_R; [nra|]. destruct G as [G|]; [|lia]. apply Rmult_lt_0_compat; [assumption|nra].
      + rewrite dmul_R. destruct (Z.eqb_spec D p) as [E|E].
        * assert (BZ : dR b_square = 0) by (rewrite BS; replace (D - p)%Z with 0%Z by lia; reflexivity). rewrite BZ in NV. rewrite dsq_R. lra.
        * destruct G as [G|]; [|lia]. rewrite dmul_R, dsq_R, dadd_R, dmul_R.
          apply Rmult_le_compat_l with (r := dR g) in NV; [|lra].
          replace (dR g * ((dR w_square + / dR g * dR b_square) * dR (largest st) * b)) with
            (dR (largest st) * (dR g * dR w_square + dR b_square) * b) in NV by (field; lra). lra.
  Qed.

  Theorem updates_sound items : good (fold_left step items start) = true -> (0 <= p <= D)%Z -> (D <= cap h)%Z ->
    check_updates items = true -> updates_separate D p (dR g) (dR s) items.
  Proof.
    intros G PD DH. destruct (invariant items G) as (A & _ & _ & TS). destruct (TS PD DH) as [F S]. unfold check_updates.
    set (t := sums (fold_left step items start)) in *.
    assert (Q : forall l f, fold_left (second t) l f = true -> f = true /\ forall i, In i l -> (0 < man (tdot (vector i) t))%Z).
    { induction l as [|i l IH]; simpl; intros f H; [split; [assumption|contradiction]|]. apply IH in H as [H L]. unfold second in H.
      apply andb_prop in H as [H H']. apply Z.ltb_lt in H'. split; [assumption|]. intros i' [<-|I]; auto. }
    intros H. apply Q in H as [_ H]. intros i I. specialize (H i I). destruct (A i I) as [PL _].
    destruct (placed_spec p D g _ PD PL) as (IN & _). apply man_pos in H. rewrite tdot_R in H.
    rewrite dot_coord by assumption. rewrite (rsum_ext D _ _ (T t)); auto.
    intros j J. rewrite S by lia. unfold implied. apply lsum_ext; intros i' I'. unfold times. rewrite dadd_R, dscale_R, dZ_R.
      destruct (A i' I') as [PL' _]. destruct (placed_spec p D g _ PD PL') as (_ & _ & E). rewrite E. destruct (starts i'); reflexivity.
  Qed.
End Check.
