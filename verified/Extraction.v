(* The checks as OCaml, with Coq's integers as those of zarith (program/big.ml). *)
From Coq Require Import ZArith List Extraction ExtrOcamlBasic.
From Separatrix Require Numbers Rows Trees Samples Separation Duality Optimal Margin Mistakes Variants Convergence Kernels Polynomials Joint JointKernels.
Extraction Language OCaml.
Extract Inductive positive => "Big.t" [ "Big.two_p1" "Big.two_p" "Big.one" ] "Big.positive_case".
Extract Inductive Z => "Big.t" [ "Big.zero" "Big.of_positive" "Big.neg" ] "Big.integer_case".
Extract Inlined Constant Z.add => "Big.add".
Extract Inlined Constant Z.sub => "Big.sub".
Extract Inlined Constant Z.mul => "Big.mul".
Extract Inlined Constant Z.opp => "Big.neg".
Extract Inlined Constant Z.eqb => "Big.equal".
Extract Inlined Constant Z.leb => "Big.leq".
Extract Inlined Constant Z.ltb => "Big.lt".
Extract Inlined Constant Z.odd => "Big.is_odd".
Extract Inlined Constant Z.div2 => "Big.half".
Extract Inlined Constant Z.shiftl => "Big.shiftl".
Extract Inlined Constant Z.div => "Big.floor_div".
Extract Inlined Constant Z.sqrt => "Big.floor_sqrt".
Extract Inlined Constant Z.log2 => "Big.floor_log2".

(* Each check as one value: its state at the start, its step for each row, and its verdict at the end. *)
Definition separation_item := Separation.Item.
Definition separation_check k h d W ws q := (Separation.start, Separation.step k h d W ws q, Separation.finish k h d q).
Definition separation_good := Separation.good.
Definition separation_tied := Separation.tied.
Definition optimal_sample := Optimal.Sample.
Definition optimal_check l k h d W ws b lower upper :=
  (Optimal.start, Optimal.step l h d W ws b, Optimal.finish k h d W ws b lower upper).
Definition optimal_values k h d W ws b s := (Optimal.primal k h d W ws b s, Optimal.dual k s).
Definition margin_item := Margin.Item.
Definition margin_check bias h d W ws lower upper := (Margin.start, Margin.step h d W ws, Margin.finish bias h d W ws lower upper).
Definition mistakes_item := Mistakes.Item.
Definition mistakes_check h D p g W ws s alg r from_row K :=
  (Mistakes.start, Mistakes.step h D p g W ws s, Mistakes.finish h D p g W ws alg r from_row K).
Definition mistakes_second s := Mistakes.second (Mistakes.sums s).
Definition joint_sample := Joint.Sample.
Definition joint_pairs := Joint.add_pairs.
Definition joint_check bk hw hb k d ms W ws B bs lower upper :=
  (Joint.start, Joint.step hw hb k d ms W ws B bs, Joint.finish bk hw hb k d ms W ws B bs lower upper).
Definition joint_good := Joint.good.
Definition joint_balanced := Joint.balanced.
Definition joint_values bk hw hb k d W ws B bs s := (Joint.primal bk hw hb k d W ws B bs s, Joint.dual bk s).
Definition kernel_sample := Kernels.Sample Rows.row.
Definition kernel_optimal := Polynomials.optimal_answer.
Definition kernel_hard := Polynomials.hard_answer.
Definition kernel_contradiction := Polynomials.contradiction_answer.
Definition joint_member := @JointKernels.Member Rows.row.
Definition joint_kernel := JointKernels.joint_answer.
Extraction "core.ml" Numbers.Dy Samples.two Samples.pair Samples.plain
  separation_item separation_check separation_good separation_tied optimal_sample optimal_check optimal_values
  margin_item margin_check mistakes_item mistakes_check mistakes_second
  joint_sample joint_pairs joint_check joint_good joint_balanced joint_values
  kernel_sample kernel_optimal kernel_hard kernel_contradiction joint_member joint_kernel Numbers.dadd Numbers.dmul Numbers.dsub.
