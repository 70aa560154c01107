(* optimal for all classes at once (Crammer and Singer), without a kernel: where the optimum lies. One pass over the rows. *)
From Separatrix Require Import Numbers Rows Trees Samples Duality.
From Separatrix Require Optimal.
Open Scope Z_scope.

(* A row that takes part: its entries times 2^scale, its class among 0 .. k - 1, its cost C_i, and (m, beta_im) for other classes m. *)
Record sample := Sample { scale : Z; es : entries; own : Z; cost : dy; betas : list (Z * dy) }.

(* ---- The statement ----
   W has the weights of class m at the columns m d .. m d + d - 1, b its bias at m. *)
Open Scope R_scope.
Definition score_of (d : Z) (i : sample) (W b : vec) (m : Z) : R :=
  dot d (coord (plain (scale i) (es i))) (fun j => W (m * d + j)%Z) + b m.
Fixpoint maxn (f : Z -> R) (n : nat) : R := match n with O => 0 | S n' => Rmax (maxn f n') (f (Z.of_nat n')) end.
(* The largest [m <> own] + f_m - f_own over the classes m; the own class has 0, hence none is below 0. *)
Definition excess (f : Z -> R) (own m : Z) : R := if (m =? own)%Z then 0 else 1 + f m - f own.
Definition joint_loss (k : Z) (f : Z -> R) (own : Z) : R := maxn (excess f own) (Z.to_nat k).
Definition joint_penalty (bk : bias_kind) (k : Z) (b : vec) : R := match bk with Augmented => / 2 * dot k b b | _ => 0 end.
Definition objective (bk : bias_kind) (k d : Z) (samples : list sample) (W b : vec) : R :=
  / 2 * dot (k * d) W W + joint_penalty bk k b + lsum (fun i => dR (cost i) * joint_loss k (score_of d i W b) (own i)) samples.
Definition all_allowed (bk : bias_kind) (k : Z) (b : vec) : Prop := forall m, (0 <= m < k)%Z -> allowed bk (b m).
(* Every class is one of the k; (W, b) is a candidate whose value is at most upper, and no candidate has one below lower. *)
Definition joint_between bk k d samples (W b : vec) (lower upper : R) : Prop :=
  (forall i, In i samples -> (0 <= own i < k)%Z) /\ all_allowed bk k b /\ objective bk k d samples W b <= upper /\
  forall W' b', all_allowed bk k b' -> lower <= objective bk k d samples W' b'.

(* ---- The check ---- *)
Open Scope Z_scope.
Record state := State { pull : tree; sums : tree; losses : dy; gain : dy; good : bool }.
Definition start := State Empty Empty dzero dzero true.
Definition bias_pair (a m : Z) : row := [(dZ 1, a, [(0, 1)]); (dZ (-1), m, [(0, 1)])].
Definition total (l : list (Z * dy)) : dy := fold_right (fun p acc => dadd (snd p) acc) dzero l.
Fixpoint listed (m : Z) (ms : list Z) (k : Z) : bool := match ms with [] => m =? k | c :: ms' => (c =? m) && listed (m + 1) ms' k end.
(* The own class is one of k, the cost above 0, and beta in its bounds. *)
Definition proper (k own : Z) (cost : dy) (betas : list (Z * dy)) : bool :=
  within k own && (0 <? man cost) && dle (total betas) cost &&
  forallb (fun p => within k (fst p) && negb (fst p =? own) && (0 <=? man (snd p))) betas.
Section Check.
  (* hw and hb are heights of trees for the weights and for the classes, ms the classes; (W, b) is W(j) 2^ws, B(m) 2^bs. *)
  Variables (bk : bias_kind) (hw hb : nat) (k d : Z) (ms : list Z) (W : Z -> Z) (ws : Z) (B : Z -> Z) (bs : Z) (lower upper : dy).
  Definition value_at (i : sample) (m : Z) : dy := dadd (vdot [(Dy 1 (scale i), m * d, es i)] W ws) (Dy (B m) bs).
  Definition largest (i : sample) : dy :=
    let lead := dsub (value_at i (own i)) done in
    fold_left (fun acc m => if m =? own i then acc else dmax acc (dsub (value_at i m) lead)) ms dzero.
  Definition fine (i : sample) : bool := inside_entries d 0 (es i) && proper k (own i) (cost i) (betas i).
  Definition weight_pair (i : sample) (p : Z * dy) : row := pair false k d (own i) (fst p) (scale i) (es i).
  (* t + sum_m beta_im (x_i at its own class, - x_i at m); all of these are the W that belongs to beta. *)
  Definition add_pairs (t : tree) (i : sample) : tree := fold_left (fun t p => add_row hw t (snd p) (weight_pair i p)) (betas i) t.
  Definition step (s : state) (i : sample) : state :=
    State (add_pairs (pull s) i)
      (fold_left (fun t p => add_row hb t (snd p) (bias_pair (own i) (fst p))) (betas i) (sums s))
      (dadd (losses s) (dmul (cost i) (largest i))) (dadd (gain s) (total (betas i))) (good s && fine i).
  Definition bias_half (v : dy) : dy := match bk with Augmented => dhalf v | _ => dzero end.
  Definition primal (s : state) : dy := dadd (dadd (dhalf (square_of hw (k * d) W ws)) (bias_half (square_of hb k B bs))) (losses s).
  Definition dual (s : state) : dy := dsub (dsub (gain s) (dhalf (tsq (pull s)))) (bias_half (tsq (sums s))).
  Definition balanced (s : state) : bool :=
    match bk with Free => tnull (sums s) | NoBias => forallb (fun m => B m =? 0) ms | Augmented => true end.
  Definition finish (s : state) : bool :=
    good s && (0 <=? d) && (0 <=? k) && (k * d <=? cap hw) && (k <=? cap hb) && listed 0 ms k && balanced s &&
    dle (primal s) upper && dle lower (dual s) && Optimal.sane lower upper.
  Definition check (samples : list sample) : bool := finish (fold_left step samples start).
End Check.

(* ---- The loss ---- *)
Open Scope R_scope.
Lemma maxn_nonneg f n : 0 <= maxn f n.
Proof. induction n; simpl; [lra|]. eapply Rle_trans; [exact IHn | apply Rmax_l]. Qed.
Lemma maxn_ge f n m : (0 <= m < Z.of_nat n)%Z -> f m <= maxn f n.
Proof.
  induction n; intros M; [lia|]. cbn [maxn]. destruct (Z.eq_dec m (Z.of_nat n)) as [->|N]; [apply Rmax_r|].
  eapply Rle_trans; [apply IHn; lia | apply Rmax_l].
Qed.
Lemma maxn_lub f n v : 0 <= v -> (forall m, (0 <= m < Z.of_nat n)%Z -> f m <= v) -> maxn f n <= v.
Proof. intros V. induction n; intros H; cbn [maxn]; [assumption|]. apply Rmax_lub; [apply IHn; intros; apply H; lia | apply H; lia]. Qed.
Lemma joint_loss_nonneg k f o : 0 <= joint_loss k f o. Proof. apply maxn_nonneg. Qed.
Lemma joint_loss_ge k f o m : (0 <= m < k)%Z -> m <> o -> 1 + f m - f o <= joint_loss k f o.
Proof.
  intros M N. unfold joint_loss. replace (1 + f m - f o) with (excess f o m); [apply maxn_ge; lia|].
  unfold excess. destruct (Z.eqb_spec m o); [contradiction | reflexivity].
Qed.
Lemma listed_in k ms : forall m, listed m ms k = true -> forall j, (m <= j < k)%Z -> In j ms.
Proof.
  induction ms as [|c ms IH]; simpl; intros m L j J; [apply Z.eqb_eq in L; lia|].
  apply andb_prop in L as [C L]. apply Z.eqb_eq in C. destruct (Z.eq_dec j m); [left; lia | right; apply (IH (m + 1)%Z); auto; lia].
Qed.

(* beta of a row bounds its loss: sum_m beta_m (1 + f_m - f_own) <= C loss. *)
Lemma total_R l : dR (total l) = lsum (fun p => dR (snd p)) l.
Proof. induction l; simpl; [apply dzero_R|]. rewrite dadd_R, IHl. reflexivity. Qed.
Lemma beta_bound k f o c l : (forall p, In p l -> (0 <= fst p < k)%Z /\ fst p <> o /\ 0 <= dR (snd p)) -> dR (total l) <= c ->
  lsum (fun p => dR (snd p) * (1 - (f o - f (fst p)))) l <= c * joint_loss k f o.
Proof.
  intros P C. rewrite total_R in C. pose proof (joint_loss_nonneg k f o) as N.
  apply Rle_trans with (lsum (fun p => joint_loss k f o * dR (snd p)) l).
  - apply lsum_le; intros p I. destruct (P p I) as (K & O & G). pose proof (joint_loss_ge k f o (fst p) K O).
    rewrite (Rmult_comm (joint_loss k f o)). apply Rmult_le_compat_l; lra.
  - rewrite lsum_scale, Rmult_comm. apply Rmult_le_compat_r; assumption.
Qed.

Definition in_bounds (k own : Z) (cost : dy) (betas : list (Z * dy)) : Prop := (0 <= own < k)%Z /\ 0 < dR cost /\
  dR (total betas) <= dR cost /\ forall p, In p betas -> (0 <= fst p < k)%Z /\ fst p <> own /\ 0 <= dR (snd p).
Lemma proper_R k o c l : proper k o c l = true -> in_bounds k o c l.
Proof.
  unfold proper, in_bounds. intros H. apply andb_prop in H as [H P]. apply andb_prop in H as [H TO]. apply andb_prop in H as [O C].
  apply within_iff in O. apply Z.ltb_lt, man_pos in C. apply dle_R in TO.
  repeat (split; [assumption|]). rewrite forallb_forall in P. intros p I. specialize (P p I).
  apply andb_prop in P as [P G]. apply andb_prop in P as [P N]. apply within_iff in P. apply Z.leb_le, man_nonneg in G.
  apply negb_true_iff, Z.eqb_neq in N. auto.
Qed.

(* ---- Trees that hold a sum of multiples of rows ---- *)
Lemma inside_shift k d c e : (0 <= c < k)%Z -> inside_entries d 0 e = true -> inside_entries (k * d) (c * d) e = true.
Proof.
  intros C. induction e as [|[j m] e IH]; cbn [inside_entries]; intros H; auto. apply andb_prop in H as [H H'].
  apply andb_true_intro; split; [|auto]. apply within_iff in H. apply within_iff. nia.
Qed.
Section Sums.
  Context {A : Type}.
  Variables (h : nat) (D : Z) (c : A -> dy) (r : A -> row).
  Definition holds (t : tree) (l : list A) : Prop :=
    fits h t /\ forall j, (0 <= j < cap h)%Z -> T t j = lsum (fun a => dR (c a) * coord (r a) j) l.
  Lemma holds_empty : holds Empty [].
  Proof. split; [apply fits_empty | intros; apply T_empty]. Qed.
  Lemma holds_more m : (D <= cap h)%Z -> forall t l, holds t l -> (forall a, In a m -> inside D (r a) = true) ->
    holds (fold_left (fun t a => add_row h t (c a) (r a)) m t) (l ++ m).
  Proof.
    intros C. induction m as [|a m IH]; intros t l [F E] I; cbn [fold_left]; [rewrite app_nil_r; split; assumption|].
    replace (l ++ a :: m) with ((l ++ [a]) ++ m) by (rewrite <- app_assoc; reflexivity).
    destruct (add_row_spec h D C (c a) (r a) t F (I a (or_introl eq_refl))) as [F' E'].
    apply IH; [|intros; apply I; right; assumption]. split; [assumption|].
    intros j J. rewrite E', E, lsum_snoc by assumption. reflexivity.
  Qed.
  Lemma holds_product t l z : (0 <= D <= cap h)%Z -> holds t l -> lsum (fun a => dR (c a) * dot D (coord (r a)) z) l = dot D (T t) z.
  Proof.
    intros C [F E]. rewrite <- (dot_combo D (fun a => dR (c a)) (fun a => coord (r a))).
    apply dot_ext; intros; auto. symmetry. apply E; lia.
  Qed.
  Lemma holds_young t l z : (0 <= D <= cap h)%Z -> holds t l ->
    lsum (fun a => dR (c a) * dot D (coord (r a)) z) l <= / 2 * dot D z z + / 2 * dR (tsq t).
  Proof.
    intros C H. rewrite (holds_product t l z C H). destruct H as [F _]. rewrite (tsq_R h) by assumption.
    rewrite <- (dot_clip D (cap h) (T t) z) by lia. pose proof (young (cap h) (T t) (clip D z)) as Y.
    rewrite (dot_clip D (cap h) (clip D z) z) in Y by lia.
    rewrite (dot_ext D (clip D z) z z z) in Y by (intros; auto; apply clip_in; assumption). lra.
  Qed.
End Sums.

(* ---- Soundness ---- *)
Definition pairs_of (i : sample) : list (sample * (Z * dy)) := map (fun p => (i, p)) (betas i).
Definition pairs (l : list sample) : list (sample * (Z * dy)) := flat_map pairs_of l.
Lemma lsum_pairs f l : lsum f (pairs l) = lsum (fun i => lsum (fun p => f (i, p)) (betas i)) l.
Proof.
  unfold pairs, pairs_of. induction l as [|i l IH]; [reflexivity|]. cbn [flat_map lsum]. rewrite lsum_app, IH. f_equal.
  induction (betas i) as [|p q IQ]; [reflexivity|]. cbn [map lsum]. rewrite IQ. reflexivity.
Qed.
Lemma fold_pairs {S} (g : S -> sample * (Z * dy) -> S) i : forall t, fold_left g (pairs_of i) t = fold_left (fun t p => g t (i, p)) (betas i) t.
Proof. unfold pairs_of. induction (betas i) as [|p l IH]; intros t; [reflexivity|]. cbn [map fold_left]. apply IH. Qed.

Section Sound.
  Variables (bk : bias_kind) (hw hb : nat) (k d : Z) (ms : list Z) (W : Z -> Z) (ws : Z) (B : Z -> Z) (bs : Z) (lower upper : dy).
  Let w := weights_R W ws.
  Let b := weights_R B bs.
  Definition fair (i : sample) : Prop := inside_entries d 0 (es i) = true /\ in_bounds k (own i) (cost i) (betas i).
  Lemma fine_fair i : fine k d i = true -> fair i.
  Proof. intros H. apply andb_prop in H as [E P]. split; [assumption | apply proper_R; assumption]. Qed.
  Lemma value_at_R i m : fair i -> dR (value_at d W ws B bs i m) = score_of d i w b m.
  Proof.
    intros (E & _). unfold value_at, score_of. rewrite dadd_R, vdot_R, plain_dot by assumption.
    cbn [rsum]. rewrite unit_off, dR_Dy. fold w. unfold b, weights_R. ring.
  Qed.
  Lemma largest_R i : fair i -> (forall m, (0 <= m < k)%Z -> In m ms) ->
    joint_loss k (score_of d i w b) (own i) <= dR (largest d ms W ws B bs i).
  Proof.
    intros F L. unfold largest. set (lead := dsub _ done). set (g := fun acc m => if (m =? own i)%Z then acc else dmax acc (dsub (value_at d W ws B bs i m) lead)).
    assert (G : forall l acc, dR acc <= dR (fold_left g l acc) /\
      forall m, In m l -> m <> own i -> 1 + score_of d i w b m - score_of d i w b (own i) <= dR (fold_left g l acc)).
    { induction l as [|c l IH]; intros acc; cbn [fold_left]; [split; [lra | intros m []]|]. destruct (IH (g acc c)) as [I1 I2].
      assert (M : dR acc <= dR (g acc c)) by (unfold g; destruct (c =? own i)%Z; [lra | apply dmax_R]).
      split; [lra|]. intros m [<-|I] N; [|apply I2; assumption]. eapply Rle_trans; [|exact I1]. unfold g.
      destruct (Z.eqb_spec c (own i)); [contradiction|]. eapply Rle_trans; [|apply dmax_R]. unfold lead.
      rewrite !dsub_R, done_R, !value_at_R by assumption. lra. }
    destruct (G ms dzero) as [G0 G1]. rewrite dzero_R in G0. apply maxn_lub; [assumption|].
    intros m M. unfold excess. destruct (Z.eqb_spec m (own i)); [assumption|]. apply G1; [apply L; lia | assumption].
  Qed.

  Let coef (a : sample * (Z * dy)) : dy := snd (snd a).
  Let wrow (a : sample * (Z * dy)) : row := weight_pair k d (fst a) (snd a).
  Let brow (a : sample * (Z * dy)) : row := bias_pair (own (fst a)) (fst (snd a)).
  Lemma in_pairs a l : (forall i, In i l -> fair i) -> In a (pairs l) ->
    fair (fst a) /\ (0 <= fst (snd a) < k)%Z /\ inside (k * d) (wrow a) = true /\ inside k (brow a) = true.
  Proof.
    intros F I. unfold pairs, pairs_of in I. apply in_flat_map in I as (i & I & J). apply in_map_iff in J as (p & <- & J). cbn [fst snd].
    pose proof (F i I) as FI. split; [assumption|]. destruct FI as (E & O & _ & _ & P). destruct (P p J) as (M & _). split; [assumption|].
    unfold wrow, brow, weight_pair, pair, bias_pair. cbn [fst snd]. rewrite E. cbn [inside inside_entries]. rewrite !inside_shift by assumption.
    rewrite !Z.add_0_r. rewrite (proj2 (within_iff k (own i)) O), (proj2 (within_iff k (fst p)) M). split; reflexivity.
  Qed.
  Lemma invariant : (k * d <= cap hw)%Z -> (k <= cap hb)%Z -> (forall m, (0 <= m < k)%Z -> In m ms) -> forall samples,
    let s := fold_left (step hw hb k d ms W ws B bs) samples start in good s = true ->
    (forall i, In i samples -> fair i) /\ holds hw coef wrow (pull s) (pairs samples) /\ holds hb coef brow (sums s) (pairs samples) /\
    lsum (fun i => dR (cost i) * joint_loss k (score_of d i w b) (own i)) samples <= dR (losses s) /\
    dR (gain s) = lsum (fun i => dR (total (betas i))) samples.
  Proof.
    intros D1 D2 L samples. induction samples as [|i samples IH] using rev_ind; cbv zeta.
    - simpl. intros _. split; [intros i []|]. split; [apply holds_empty|]. split; [apply holds_empty|]. rewrite dzero_R. lra.
    - rewrite fold_left_app; cbn [fold_left]. set (s := fold_left _ samples start) in *. cbn [step pull sums losses gain good]. intros G.
      apply andb_prop in G as [G FI]. apply fine_fair in FI. destruct (IH G) as (A & P & S & LO & GA).
      assert (A' : forall i', In i' (samples ++ [i]) -> fair i') by (intros i' I; apply in_app_or in I as [I|[<-|[]]]; auto).
      assert (AI : forall a, In a (pairs_of i) -> inside (k * d) (wrow a) = true /\ inside k (brow a) = true).
      { intros a I. apply (in_pairs a [i]); [intros i' [<-|[]]; assumption|]. unfold pairs. cbn [flat_map]. rewrite app_nil_r. assumption. }
      assert (PA : pairs (samples ++ [i]) = pairs samples ++ pairs_of i).
      { unfold pairs. rewrite flat_map_app. cbn [flat_map]. rewrite app_nil_r. reflexivity. }
      rewrite PA. split; [assumption|]. split; [|split; [|split]].
      + change (holds hw coef wrow (fold_left (fun t p => add_row hw t (coef (i, p)) (wrow (i, p))) (betas i) (pull s)) (pairs samples ++ pairs_of i)).
        rewrite <- (fold_pairs (fun t a => add_row hw t (coef a) (wrow a))). apply (holds_more hw (k * d)); auto. intros a I; apply AI; assumption.
      + change (holds hb coef brow (fold_left (fun t p => add_row hb t (coef (i, p)) (brow (i, p))) (betas i) (sums s)) (pairs samples ++ pairs_of i)).
        rewrite <- (fold_pairs (fun t a => add_row hb t (coef a) (brow a))). apply (holds_more hb k); auto. intros a I; apply AI; assumption.
      + rewrite lsum_snoc, dadd_R, dmul_R. pose proof (largest_R i FI L). destruct FI as (_ & _ & C & _).
        assert (dR (cost i) * joint_loss k (score_of d i w b) (own i) <= dR (cost i) * dR (largest d ms W ws B bs i)) by (apply Rmult_le_compat_l; lra). lra.
      + rewrite lsum_snoc, dadd_R, GA. reflexivity.
  Qed.

  Lemma bias_half_R v : dR (bias_half bk v) = match bk with Augmented => / 2 * dR v | _ => 0 end.
  Proof. unfold bias_half. destruct bk; rewrite ?dhalf_R, ?dzero_R; reflexivity. Qed.

  Theorem joint_sound samples : check bk hw hb k d ms W ws B bs lower upper samples = true ->
    joint_between bk k d samples w b (dR lower) (dR upper).
  Proof.
    unfold check, finish. set (s := fold_left _ samples start). intros H.
    apply andb_prop in H as [H _]. apply andb_prop in H as [H LO]. apply andb_prop in H as [H UP]. apply andb_prop in H as [H BA].
    apply andb_prop in H as [H LI]. apply andb_prop in H as [H D4]. apply andb_prop in H as [H D3]. apply andb_prop in H as [H D2].
    apply andb_prop in H as [G D1]. apply Z.leb_le in D1, D2, D3, D4. apply dle_R in LO, UP.
    pose proof (listed_in k ms 0 LI) as L. destruct (invariant D3 D4 L samples G) as (A & P & S & LS & GA). fold s in P, S, LS, GA.
    assert (KD : (0 <= k * d <= cap hw)%Z) by nia. assert (KB : (0 <= k <= cap hb)%Z) by lia.
    split; [intros i I; apply (A i I)|]. split; [|split].
    - intros m M. unfold balanced in BA. destruct bk; simpl; auto. rewrite forallb_forall in BA. specialize (BA m (L m M)).
      apply Z.eqb_eq in BA. unfold b, weights_R. apply man_zero. exact BA.
    - unfold objective. unfold primal in UP. rewrite !dadd_R, dhalf_R, bias_half_R, !square_of_R in UP by assumption.
      fold w b in UP. unfold joint_penalty. destruct bk; lra.
    - intros W' b' AL. unfold dual in LO. rewrite !dsub_R, dhalf_R, bias_half_R, GA in LO. unfold objective.
      pose proof (holds_young hw (k * d) coef wrow (pull s) (pairs samples) W' KD P) as YW.
      assert (YB : lsum (fun a => dR (coef a) * dot k (coord (brow a)) b') (pairs samples)
        <= joint_penalty bk k b' + match bk with Augmented => / 2 * dR (tsq (sums s)) | _ => 0 end).
      { unfold joint_penalty. destruct bk.
        - rewrite (holds_product hb k coef brow (sums s)) by assumption. unfold balanced in BA.
          rewrite (dot_ext k _ (fun _ => 0) b' b') by (intros; auto; apply tnull_T; assumption).
          unfold dot. rewrite (sum_ext _ _ (fun _ => 0)), sum_zero by (intros; ring). lra.
        - apply (holds_young hb); assumption.
        - rewrite (lsum_ext _ (fun _ => 0)), lsum_zero; [lra|]. intros a I. destruct (in_pairs a samples A I) as ((_ & O & _) & M & _ & IB).
          rewrite dot_coord by assumption. unfold brow, bias_pair. cbn [rsum unit_sum]. rewrite !Z.add_0_r, (AL _ O), (AL _ M). ring. }
      assert (BB : lsum (fun i => lsum (fun p => dR (snd p) * (1 - (score_of d i W' b' (own i) - score_of d i W' b' (fst p)))) (betas i)) samples
        <= lsum (fun i => dR (cost i) * joint_loss k (score_of d i W' b') (own i)) samples).
      { apply lsum_le; intros i I. destruct (A i I) as (_ & _ & _ & TO & PP). apply beta_bound; assumption. }
      rewrite <- (lsum_pairs (fun a => dR (coef a) * (1 - (score_of d (fst a) W' b' (own (fst a)) - score_of d (fst a) W' b' (fst (snd a)))))) in BB.
      rewrite (lsum_ext _ (fun a => dR (coef a) + (-1 * (dR (coef a) * dot (k * d) (coord (wrow a)) W') + -1 * (dR (coef a) * dot k (coord (brow a)) b')))) in BB.
      2: { intros a I. destruct (in_pairs a samples A I) as (_ & _ & IW & IB). unfold wrow, weight_pair in IW |- *.
           rewrite pair_product by assumption. rewrite (dot_coord k) by assumption. unfold score, score_of, brow, bias_pair. cbn [rsum unit_sum].
           rewrite !Z.add_0_r, !dZ_R. ring. }
      rewrite !lsum_plus, !lsum_scale in BB.
      assert (GE : lsum (fun i => dR (total (betas i))) samples = lsum (fun a => dR (coef a)) (pairs samples)).
      { rewrite lsum_pairs. apply lsum_ext; intros i _. apply total_R. }
      rewrite GE in LO. destruct bk; lra.
  Qed.
End Sound.
