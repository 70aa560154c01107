(* The rows of the checks: a side of two, or a pair of classes (Kesler), each with its bias; and what their products are. *)
From Separatrix Require Import Numbers Rows.
Open Scope Z_scope.

(* The row x of d columns: entries times 2^sc. *)
Definition plain (sc : Z) (es : entries) : row := [(Dy 1 sc, 0, es)].
(* A row that every check refuses, in place of one with an entry that is not in the d columns. *)
Definition refused : row := [(dzero, -1, [(0, 0)])].
(* y (x, 1), or y x; the bias is column d. *)
Definition two (bias : bool) (d y sc : Z) (es : entries) : row :=
  if inside_entries d 0 es then (Dy y sc, 0, es) :: (if bias then [(dZ y, d, [(0, 1)])] else []) else refused.
(* (x, 1) at its own class and its negative at class m, of k; class c has the columns c d .. and, for the bias, k d + c. *)
Definition pair (bias : bool) (k d own m sc : Z) (es : entries) : row :=
  if inside_entries d 0 es then
    (Dy 1 sc, own * d, es) :: (Dy (-1) sc, m * d, es) ::
    (if bias then [(dZ 1, k * d + own, [(0, 1)]); (dZ (-1), k * d + m, [(0, 1)])] else [])
  else refused.

Open Scope R_scope.
Lemma unit_off es off u : unit_sum es off u = unit_sum es 0 (fun j => u (off + j)%Z).
Proof. induction es as [|[j m] es IH]; simpl; auto. rewrite IH. reflexivity. Qed.
Lemma plain_dot d sc es u : inside_entries d 0 es = true -> dot d (coord (plain sc es)) u = powerRZ 2 sc * unit_sum es 0 u.
Proof. intros I. rewrite dot_coord; simpl; [rewrite dR_Dy; ring | rewrite I; reflexivity]. Qed.

(* With z = (w, b), b being z(d): the product of a row with z is y (w.x + b). *)
Theorem two_product bias D d y sc es z : inside D (two bias d y sc es) = true ->
  dot D (coord (two bias d y sc es)) z = IZR y * (dot d (coord (plain sc es)) z + if bias then z d else 0).
Proof.
  intros I. rewrite dot_coord by assumption. unfold two in *. destruct (inside_entries d 0 es) eqn:E; [|discriminate].
  rewrite plain_dot by assumption. destruct bias; simpl; rewrite ?Z.add_0_r, ?dZ_R, dR_Dy; ring.
Qed.
(* With z = (w_0, .., w_{k-1}, b): the product of a pair with z is f_own(x) - f_m(x). *)
Definition score (bias : bool) (k d : Z) (z : vec) (sc : Z) (es : entries) (c : Z) : R :=
  dot d (coord (plain sc es)) (fun j => z (c * d + j)%Z) + if bias then z (k * d + c)%Z else 0.
Theorem pair_product bias D k d own m sc es z : inside D (pair bias k d own m sc es) = true ->
  dot D (coord (pair bias k d own m sc es)) z = score bias k d z sc es own - score bias k d z sc es m.
Proof.
  intros I. rewrite dot_coord by assumption. unfold pair, score in *. destruct (inside_entries d 0 es) eqn:E; [|discriminate].
  rewrite !plain_dot by assumption. cbn [rsum]. rewrite (unit_off es (own * d)), (unit_off es (m * d)), !dR_Dy.
  destruct bias; simpl; rewrite ?Z.add_0_r, ?dZ_R; ring.
Qed.
