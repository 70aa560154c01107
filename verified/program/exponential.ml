(* exp and tanh of dyadic numbers between neighbouring multiples of 2^-100: the enclosures of section 5, which no theorem here proves. *)

let scale = 100
let extra = 32
let work = scale + extra
let lost = Z.of_int 512
let one = Z.shift_left Z.one work
let top = Z.shift_left Z.one scale

(* floor(2^work ln 2), by ln 2 = sum 1 / (k 2^k) with 16 guard bits. *)
let ln2 =
  let guard = 16 in
  let total = ref Z.zero in
  for k = 1 to work + guard do
    total := Z.add !total (Z.div (Z.shift_left Z.one (work + guard)) (Z.shift_left (Z.of_int k) k))
  done;
  Z.shift_right (Z.add !total (Z.of_int 256)) guard

(* Bounds on 2^work exp(-t) for a dyadic t > 0. *)
let exp_bounds (t : Core.dy) =
  let working = Z.(let e = Stdlib.( + ) (to_int t.ex) work in if Stdlib.( >= ) e 0 then shift_left t.man e else shift_right t.man (Stdlib.( ~- ) e)) in
  let k, r = Z.div_rem working ln2 in
  if Z.gt k (Z.of_int 150) then (Z.zero, Z.one)
  else begin
    let total = ref one and term = ref one and n = ref 0 in
    while Z.sign !term <> 0 do
      incr n;
      term := Z.div (Z.shift_right (Z.mul !term r) work) (Z.of_int !n);
      total := if !n land 1 = 1 then Z.sub !total !term else Z.add !total !term
    done;
    let total = Z.shift_right !total (Z.to_int k) in
    (Z.max Z.zero (Z.sub total lost), Z.min one (Z.add total lost))
  end

let dy m : Core.dy = { man = m; ex = Z.of_int (-scale) }

let exp_minus (t : Core.dy) =
  if Z.sign t.man = 0 then (dy top, dy top)
  else begin
    let small, large = exp_bounds t in
    (dy (Z.shift_right small extra), dy (Z.min top (Z.succ (Z.shift_right large extra))))
  end

let rec tanh (t : Core.dy) =
  if Z.sign t.man < 0 then begin
    let lower, upper = tanh { t with man = Z.neg t.man } in
    (dy (Z.neg upper.Core.man), dy (Z.neg lower.Core.man))
  end
  else if Z.sign t.man = 0 then (dy Z.zero, dy Z.zero)
  else begin
    let small, large = exp_bounds { t with ex = Z.succ t.ex } in
    let ratio e = Z.shift_right (Z.fdiv (Z.shift_left (Z.sub one e) work) (Z.add one e)) extra in
    (dy (ratio large), dy (Z.min top (Z.succ (ratio small))))
  end
