(* The squared length of a row, with its bias: what the radius of the perceptron theorem is made of. *)
From Coq Require Import ZArith List Reals Lra Lia Bool Psatz.
From Separatrix Require Import Numbers Rows Convergence.
Import ListNotations.
Open Scope Z_scope.

(* ---- The squared length of a row, with the columns of the bias weighted by g ----
   Its columns must increase, so that no column has two entries. *)
Fixpoint asc_entries (last off : Z) (es : entries) : option Z :=
  match es with [] => Some last | (j, _) :: es' => if last <? off + j then asc_entries (off + j) off es' else None end.
Fixpoint asc_parts (last : Z) (ps : list (Z * Z * entries)) : option Z :=
  match ps with [] => Some last
  | (_, off, es) :: ps' => match asc_entries last off es with Some l => asc_parts l ps' | None => None end end.
Fixpoint asc_extra (last : Z) (xs : list (Z * dy)) : option Z :=
  match xs with [] => Some last | (j, _) :: xs' => if last <? j then asc_extra j xs' else None end.
Definition ascending (r : row) : bool :=
  match asc_parts (-1) (parts r) with
  | Some l => match asc_extra l (extra r) with Some _ => true | None => false end
  | None => false
  end.
(* The columns of the parts are below p, those of the bias from p to D - 1. *)
Definition placed (p D : Z) (r : row) : bool :=
  inside_parts p (parts r) && forallb (fun jv => (p <=? fst jv) && (fst jv <? D)) (extra r) && ascending r.
Fixpoint sq_entries (es : entries) (acc : Z) : Z :=
  match es with [] => acc | (_, m) :: es' => sq_entries es' (acc + m * m) end.
Fixpoint sq_parts (ps : list (Z * Z * entries)) : Z :=
  match ps with [] => 0 | (s, _, es) :: ps' => s * s * sq_entries es 0 + sq_parts ps' end.
Fixpoint sq_extra (g : dy) (xs : list (Z * dy)) : dy :=
  match xs with [] => dzero | (_, v) :: xs' => dadd (dmul g (dsq v)) (sq_extra g xs') end.
Definition row_square (g : dy) (r : row) : dy := dadd (Dy (sq_parts (parts r)) (2 * scale r)) (sq_extra g (extra r)).
(* The row as an update adds it: columns of the bias times g. *)
Definition with_gain (g : dy) (r : row) : row := Row (scale r) (parts r) (map (fun jv => (fst jv, dmul g (snd jv))) (extra r)).

Open Scope R_scope.
Definition flat (r : row) : list (Z * R) :=
  flat_map (fun p => map (fun jm => ((snd (fst p) + fst jm)%Z, powerRZ 2 (scale r) * IZR (fst (fst p)) * IZR (snd jm))) (snd p)) (parts r)
  ++ map (fun jv => (fst jv, dR (snd jv))) (extra r).
Lemma flat_sum r u : rsum r u = lsum (fun cv => snd cv * u (fst cv)) (flat r).
Proof.
  unfold rsum, flat. rewrite lsum_app. f_equal.
  - induction (parts r) as [|[[s o] es] ps IH]; simpl; [lra|]. rewrite lsum_app, <- IH, Rmult_plus_distr_l. f_equal.
    clear. induction es as [|[j m] es IH]; simpl; [lra|]. rewrite <- IH; ring.
  - induction (extra r) as [|[j v] xs IH]; simpl; auto. rewrite IH; reflexivity.
Qed.
Fixpoint ascl (last : Z) (l : list Z) : option Z :=
  match l with [] => Some last | c :: l' => if (last <? c)%Z then ascl c l' else None end.
Lemma ascl_app l m : forall last, ascl last (l ++ m) = match ascl last l with Some b => ascl b m | None => None end.
Proof. induction l; intros last; simpl; auto. destruct (last <? a)%Z; auto. Qed.
Lemma ascl_nodup l : forall last b, ascl last l = Some b -> NoDup l /\ forall c, In c l -> (last < c)%Z.
Proof.
  induction l as [|a l IH]; simpl; intros last b H; [split; [constructor | contradiction]|].
  destruct (Z.ltb_spec last a); [|discriminate]. destruct (IH _ _ H) as [N L]. split.
  - constructor; auto. intros I. apply L in I. lia.
  - intros c [<-|I]; auto. apply L in I. lia.
Qed.
Lemma ascending_nodup r : ascending r = true -> NoDup (map fst (flat r)).
Proof.
  assert (E : forall off es last, asc_entries last off es = ascl last (map (fun jm => off + fst jm)%Z es)).
  { intros off. induction es as [|[j m] es IH]; intros last; simpl; auto. destruct (last <? off + j)%Z; auto. }
  assert (X : forall xs last, asc_extra last xs = ascl last (map fst xs)).
  { induction xs as [|[j v] xs IH]; intros last; simpl; auto. destruct (last <? j)%Z; auto. }
  assert (P : forall sc ps last, asc_parts last ps = ascl last (map fst
    (flat_map (fun p => map (fun jm => ((snd (fst p) + fst jm)%Z, powerRZ 2 sc * IZR (fst (fst p)) * IZR (snd jm))) (snd p)) ps))).
  { intros sc. induction ps as [|[[s o] es] ps IH]; intros last; simpl; auto.
    rewrite E, map_app, ascl_app, map_map. simpl. destruct (ascl last _); auto. }
  unfold ascending. rewrite (P (scale r)). intros H.
  destruct (ascl (-1) _) as [l|] eqn:F; [|discriminate]. rewrite X in H. destruct (ascl l _) as [b|] eqn:F'; [|discriminate].
  apply (ascl_nodup _ (-1)%Z b). unfold flat. rewrite map_app, ascl_app, F, map_map. exact F'.
Qed.
Definition fcoord (l : list (Z * R)) (c : Z) : R := lsum (fun cv => snd cv * (if (fst cv =? c)%Z then 1 else 0)) l.
Lemma fcoord_none l c : ~ In c (map fst l) -> fcoord l c = 0.
Proof.
  unfold fcoord. induction l as [|[a v] l IH]; simpl; intros N; auto. rewrite IH by tauto.
  destruct (Z.eqb_spec a c); [subst; tauto | lra].
Qed.
Lemma square_flat D (ga : Z -> R) : forall l, NoDup (map fst l) -> (forall c, In c (map fst l) -> (0 <= c < D)%Z) ->
  sum D (fun c => ga c * fcoord l c * fcoord l c) = lsum (fun cv => ga (fst cv) * snd cv * snd cv) l.
Proof.
  induction l as [|[a v] l IH]; simpl; intros N B.
  - rewrite (sum_ext D _ (fun _ => 0)), sum_zero; auto. intros; unfold fcoord; simpl; ring.
  - inversion N as [|? ? NI N']; subst. rewrite <- IH by auto.
    rewrite (sum_ext D _ (fun c => (if (c =? a)%Z then ga a * v * v else 0) + ga c * fcoord l c * fcoord l c)).
    + rewrite sum_plus, sum_single by auto. reflexivity.
    + intros c _. unfold fcoord at 1 2; simpl. fold (fcoord l c). rewrite (Z.eqb_sym c a). destruct (Z.eqb_spec a c).
      * subst. rewrite fcoord_none by assumption. ring.
      * ring.
Qed.
Lemma placed_inside p D r : (0 <= p <= D)%Z -> placed p D r = true -> inside D r = true.
Proof.
  unfold placed, inside. intros PD H. apply andb_prop in H as [H _]. apply andb_prop in H as [H X]. apply andb_true_intro; split.
  - clear X. induction (parts r) as [|[[s o] es] ps IH]; simpl in *; auto. apply andb_prop in H as [H H']. rewrite IH by assumption.
    rewrite andb_true_r. clear - PD H. induction es as [|[j m] es IH]; simpl in *; auto. apply andb_prop in H as [H H'].
    rewrite IH by assumption. apply within_iff in H. rewrite andb_true_r. apply within_iff; lia.
  - clear H. induction (extra r) as [|[j v] xs IH]; simpl in *; auto. apply andb_prop in X as [H H']. apply andb_prop in H as [H1 H2].
    apply Z.leb_le in H1. apply Z.ltb_lt in H2. rewrite IH by assumption. rewrite andb_true_r. apply within_iff; lia.
Qed.
Lemma flat_columns p D r c v : (0 <= p <= D)%Z -> placed p D r = true -> In (c, v) (flat r) -> (0 <= c < D)%Z.
Proof.
  intros PD H I. pose proof (placed_inside p D r PD H) as N. unfold inside in N. apply andb_prop in N as [N1 N2].
  unfold flat in I. apply in_app_or in I as [I|I].
  - clear N2. induction (parts r) as [|[[s o] es] ps IH]; simpl in *; [contradiction|]. apply andb_prop in N1 as [N1 N1'].
    apply in_app_or in I as [I|I]; auto. clear - I N1. induction es as [|[j m] es IH]; simpl in *; [contradiction|].
    apply andb_prop in N1 as [N1 N1']. destruct I as [I|I]; auto. injection I as <- _. apply within_iff; assumption.
  - clear N1. induction (extra r) as [|[j w] xs IH]; simpl in *; [contradiction|]. apply andb_prop in N2 as [N2 N2'].
    destruct I as [I|I]; auto. injection I as <- _. apply within_iff; assumption.
Qed.
Lemma gam_weight p g j : (j < p)%Z -> gam p g j = 1.
Proof. unfold gam. destruct (Z.ltb_spec j p); [auto|lia]. Qed.
Lemma gam_bias p g j : (p <= j)%Z -> gam p g j = g.
Proof. unfold gam. destruct (Z.ltb_spec j p); [lia|auto]. Qed.
Lemma row_square_R p D g r : (0 <= p <= D)%Z -> placed p D r = true ->
  dR (row_square g r) = sum D (fun j => gam p (dR g) j * coord r j * coord r j).
Proof.
  intros PD H. rewrite (sum_ext D _ (fun c => gam p (dR g) c * fcoord (flat r) c * fcoord (flat r) c)).
  2: { intros j _. unfold coord, fcoord. rewrite flat_sum. reflexivity. }
  rewrite square_flat.
  - unfold row_square, flat. rewrite dadd_R, lsum_app. unfold placed in H. apply andb_prop in H as [H _]. apply andb_prop in H as [H X].
    f_equal.
    + rewrite dR_Dy. replace (2 * scale r)%Z with (scale r + scale r)%Z by lia. rewrite pow2_add.
      clear X. induction (parts r) as [|[[s o] es] ps IH]; cbn [sq_parts flat_map]; [simpl; ring|]. cbn [inside_parts] in H.
      apply andb_prop in H as [H H']. rewrite lsum_app, <- IH, plus_IZR, Rmult_plus_distr_r by assumption. f_equal. cbn [fst snd].
      assert (S : forall acc, IZR (sq_entries es acc) * (IZR s * IZR s) * (powerRZ 2 (scale r) * powerRZ 2 (scale r)) =
        IZR acc * (IZR s * IZR s) * (powerRZ 2 (scale r) * powerRZ 2 (scale r)) +
        lsum (fun cv => gam p (dR g) (fst cv) * snd cv * snd cv)
          (map (fun jm : Z * Z => ((o + fst jm)%Z, powerRZ 2 (scale r) * IZR s * IZR (snd jm))) es)).
      { clear - H. induction es as [|[j m] es IH]; intros acc; simpl in *; [ring|]. apply andb_prop in H as [H H']. rewrite IH by assumption.
        apply within_iff in H. rewrite (gam_weight p (dR g) (o + j)) by lia. rewrite plus_IZR, mult_IZR. ring. }
      rewrite !mult_IZR. rewrite (Rmult_comm (IZR s * IZR s)), S. ring.
    + clear H. induction (extra r) as [|[j v] xs IH]; simpl in *; [apply dzero_R|]. apply andb_prop in X as [X X'].
      apply andb_prop in X as [X1 X2]. apply Z.leb_le in X1. rewrite dadd_R, dmul_R, dsq_R, IH by assumption.
      rewrite (gam_bias p (dR g) j) by lia. ring.
  - unfold placed in H. apply andb_prop in H as [_ H]. apply ascending_nodup; assumption.
  - intros c I. apply in_map_iff in I as [[c' v] [<- I]]. apply (flat_columns p D r c' v); auto.
Qed.
Lemma with_gain_R p D g r c : placed p D r = true -> coord (with_gain g r) c = gam p (dR g) c * coord r c.
Proof.
  unfold placed. intros H. apply andb_prop in H as [H _]. apply andb_prop in H as [H X]. unfold coord, rsum, with_gain; cbn [scale parts extra].
  rewrite Rmult_plus_distr_l. f_equal.
  - rewrite <- Rmult_assoc, (Rmult_comm (gam _ _ _)), Rmult_assoc. f_equal.
    clear X. induction (parts r) as [|[[s o] es] ps IH]; simpl in *; [ring|]. apply andb_prop in H as [H H']. rewrite (IH H') at 1.
    assert (E : unit_sum es o (fun j => if (j =? c)%Z then 1 else 0) = gam p (dR g) c * unit_sum es o (fun j => if (j =? c)%Z then 1 else 0)).
    { clear - H. induction es as [|[j m] es IH]; simpl in *; [ring|]. apply andb_prop in H as [H H']. rewrite IH at 1 by assumption.
      apply within_iff in H. destruct (Z.eqb_spec (o + j) c) as [<-|]; [|ring]. rewrite !(gam_weight p (dR g) (o + j)) by lia. ring. }
    rewrite E at 1. ring.
  - clear H. induction (extra r) as [|[j v] xs IH]; simpl in *; [ring|]. apply andb_prop in X as [X X']. rewrite IH, dmul_R by assumption.
    apply andb_prop in X as [X _]. apply Z.leb_le in X. destruct (Z.eqb_spec j c) as [<-|]; [|ring].
    rewrite !(gam_bias p (dR g) j) by lia. ring.
Qed.
