(* Coq's integers are those of zarith; this is the whole correspondence. *)
include Z

let two_p1 p = succ (shift_left p 1)
let two_p p = shift_left p 1
let of_positive p = p

let positive_case f2p1 f2p f1 p =
  if equal p one then f1 () else if is_odd p then f2p1 (shift_right p 1) else f2p (shift_right p 1)

let integer_case f0 fp fn z = match sign z with 0 -> f0 () | 1 -> fp z | _ -> fn (neg z)
let half a = shift_right a 1
let shiftl a k = if Stdlib.( >= ) (sign k) 0 then shift_left a (to_int k) else shift_right a (to_int (neg k))
let floor_div a b = if Stdlib.( = ) (sign b) 0 then zero else fdiv a b
let floor_sqrt a = if Stdlib.( <= ) (sign a) 0 then zero else sqrt a
let floor_log2 a = if Stdlib.( <= ) (sign a) 0 then zero else of_int (Stdlib.pred (numbits a))
