(* Rows whose columns are scaled before the problem is posed: x becomes (x - shift) * factor, two operations in double precision. *)
open Numerals

let full (places, values) d =
  let out = Array.make d 0.0 in
  Array.iteri (fun i p -> out.(p) <- values.(i)) places;
  out

(* A function from a row to the scaled row, in a buffer of its own that the next row overwrites. *)
let rows record d : Text.buffer -> Text.buffer =
  let shift, factor =
    match fields record "scaling" [ "shift"; "factor" ] with
    | [ s; f ] ->
      let s = reals s "shift" d and places, f = reals f "factor" d in
      if Array.length f < d || Array.exists (fun f -> f <= 0.0) f then reject "Every factor of a scaling must be above 0.";
      (full s d, f)
    | _ -> assert false in
  let moves = Array.exists (fun s -> s <> 0.0) shift in
  let out : Text.buffer = Text.buffer () in
  let scaled j x =
    if j >= d then reject "A row has more columns than the scaling.";
    let v = (x -. shift.(j)) *. factor.(j) in
    if not (Float.is_finite v) then reject "A scaled entry is beyond the largest number of double precision.";
    v in
  fun row ->
    out.length <- 0;
    if moves then begin
      let at = ref 0 in
      for j = 0 to d - 1 do
        let x = if !at < row.length && row.columns.(!at) = j then (incr at; row.values.(!at - 1)) else 0.0 in
        Text.push out j (scaled j x)
      done
    end else
      for i = 0 to row.length - 1 do Text.push out row.columns.(i) (scaled row.columns.(i) row.values.(i)) done;
    out
