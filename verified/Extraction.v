(* The checks as OCaml, with Coq's integers as those of zarith. *)
From Coq Require Import ZArith List Extraction ExtrOcamlBasic.
From Separatrix Require Numbers Rows Trees Samples Separation Duality Optimal Margin Mistakes Variants.
Extraction Language OCaml.
Extract Inductive positive => "Z.t" [ "(fun p -> Z.succ (Z.shift_left p 1))" "(fun p -> Z.shift_left p 1)" "Z.one" ]
  "(fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.is_odd p then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))".
Extract Inductive Z => "Z.t" [ "Z.zero" "(fun p -> p)" "Z.neg" ]
  "(fun f0 fp fn z -> let s = Z.sign z in if s = 0 then f0 () else if s > 0 then fp z else fn (Z.neg z))".
Extract Constant Z.add => "Z.add".
Extract Constant Z.sub => "Z.sub".
Extract Constant Z.mul => "Z.mul".
Extract Constant Z.opp => "Z.neg".
Extract Constant Z.eqb => "Z.equal".
Extract Constant Z.leb => "Z.leq".
Extract Constant Z.ltb => "Z.lt".
Extract Constant Z.odd => "Z.is_odd".
Extract Constant Z.div2 => "(fun a -> Z.shift_right a 1)".
Extract Constant Z.shiftl => "(fun a k -> Z.shift_left a (Z.to_int k))".
Extract Constant Z.div => "Z.fdiv".
Extract Constant Z.sqrt => "Z.sqrt".
Extract Constant Z.log2 => "(fun a -> Z.of_int (Z.numbits a - 1))".
Set Extraction Output Directory ".".
Separate Extraction Numbers Rows Trees Samples Separation Duality.loss_kind Optimal Margin Mistakes Variants.
