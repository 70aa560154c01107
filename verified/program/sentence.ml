(* The sentence that a checked certificate proves, written from what was checked (section 8 of the format). *)
open Numerals

type sides = {
  joint : bool; text : bool; positive : string list; negative : string list; excluded : int list;
  mutable plus : int; mutable minus : int; mutable all : int; mutable occurring : string list }

let part s labels rows rest =
  let names = List.map (fun l -> if s.text then Json.quoted l else l) labels in
  let what = if rest then "every other label" else if names = [] then "no label" else String.concat ", " names in
  Printf.sprintf "%s (%d row%s)" what rows (if rows = 1 then "" else "s")

let sides s between =
  if s.joint then part s s.positive s.plus false
  else begin
    let same a b = List.sort compare a = List.sort compare b in
    let without labels = List.filter (fun l -> not (List.mem l labels)) s.occurring in
    let rest_minus = List.length s.negative > 1 && same s.negative (without s.positive) in
    let rest_plus = List.length s.positive > 1 && same s.positive (without s.negative) in
    Printf.sprintf "%s %s %s" (part s s.positive s.plus (rest_plus && not rest_minus)) between (part s s.negative s.minus rest_minus)
  end

let complete s sentence scaled =
  let used = s.plus + s.minus in
  let rows = if used = s.all then Printf.sprintf "all %d rows" s.all else Printf.sprintf "%d of %d rows" used s.all in
  let left = String.concat ", " (List.map string_of_int (List.filteri (fun i _ -> i < 10) s.excluded)) in
  let n = List.length s.excluded in
  let more = if n > 10 then Printf.sprintf " and %d more" (n - 10) else "" in
  let columns = if scaled then ", every entry x of a column as (x - shift) * factor in double precision" else "" in
  Printf.sprintf "%s; %s take part%s%s." sentence rows (if left = "" then "" else ", not the excluded " ^ left ^ more) columns

let rounded_q (q : Q.t) up digits = rounded q.num q.den up digits
let of_dy (a : Core.dy) : Q.t =
  let e = Z.to_int a.ex in
  if e >= 0 then Q.of_bigint (Z.shift_left a.man e) else Q.make a.man (Z.shift_left Z.one (-e))
let between (a : Q.t) (b : Q.t) = Printf.sprintf "between %s and %s" (rounded_q a false 12) (rounded_q b true 12)
let relative_gap (lower : Q.t) (upper : Q.t) = if Q.sign upper = 0 then Q.zero else Q.div (Q.sub upper lower) upper
let through bias = if bias then "with a bias" else "through the origin"

type costs = Sides of float * float | Rows of float * float | Hard

let optimum s ~loss ~bias ~kernel ~costs (lower : Q.t) (upper : Q.t) =
  let asked = Printf.sprintf "%s bias, %s kernel" (if bias = "none" then "no" else bias) kernel in
  let loss = if loss = "squared_hinge" then "squared hinge" else loss in
  let asked =
    match costs with
    | Hard -> asked
    | Rows (a, b) -> Printf.sprintf "%s loss, %s, C from %s to %s by row" loss asked (value a) (value b)
    | Sides (a, b) ->
      let p = value a and n = value b in
      let both = if p = n then "" else Printf.sprintf " on the positive side and %s on the negative side" n in
      Printf.sprintf "%s loss, %s, C = %s%s" loss asked p both
  in
  let what = (if costs = Hard then "hard" else "soft") ^ "-margin SVM" ^ if s.joint then " of all classes at once" else "" in
  Printf.sprintf "The %s (%s) of %s has its optimum %s, and the given point is within a relative gap of %s of it" what asked (sides s "against")
    (between lower upper) (rounded_q (relative_gap lower upper) true 3)

let hyperplane s kind bias tied margin =
  let plane = "hyperplane " ^ through bias and parts = sides s "from" in
  let wrong = "one that has no row on its wrong side has" in
  match kind with
  | "inseparable" -> Printf.sprintf "No %s separates %s, not even weakly: %s every row on it" plane parts wrong
  | "quasi-separable" -> Printf.sprintf "A %s separates %s weakly, and none strictly: %s at least %s rows on it" plane parts wrong tied
  | _ ->
    let said = match margin with Some (a, b) -> ", and the maximum margin lies " ^ between a b | None -> "" in
    Printf.sprintf "A %s strictly separates %s%s" plane parts said

let functions s kind bias tied =
  let highest =
    Printf.sprintf "inear functions %s, one for each class, give every row of %s the highest score at its own class" (through bias) (sides s "against") in
  let other = "no row a higher score at another class" in
  match kind with
  | "separating" -> "L" ^ highest
  | "inseparable" -> Printf.sprintf "No l%s: those that give %s give every row equal scores at all" highest other
  | _ -> Printf.sprintf "No l%s: some give %s, and all of those give equal scores at %s pairs of classes" highest other tied

let perceptron s ~algorithm ~step ~from_row ~gain ~bound counted =
  let how =
    Printf.sprintf "%s, step %s, from %s, g = %s" (if algorithm = "perceptron" then "row by row" else "all rows at once") step
      (if from_row then "a row" else "zero") (value gain) in
  let who = Printf.sprintf "The perceptron%s (%s)" (if s.joint then " of all classes at once" else "") how in
  let sentence = Printf.sprintf "%s makes at most %d updates on %s" who bound (sides s "against") in
  match counted with
  | None -> sentence
  | Some (sum, row) ->
    let from = match row with Some r -> Printf.sprintf " from row %d" r | None -> "" in
    Printf.sprintf "%s, and the %s updates counted here%s separate them" sentence sum from
