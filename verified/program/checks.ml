(* Each kind of claim: its numbers are read, each row is handed to the proved check, and its verdict becomes a sentence. *)
open Numerals
open Sentence

type context = { n : int; d : int; sides : sides; problem : (string * Json.t) list; proof : Json.t; kind : string; conditions : string ref }

(* A check that is under way. Every row of the data comes, in order, with its part: 0 takes none, +1 or -1, or 1 + its class. *)
type run = { row : int -> int -> Text.buffer -> unit; second : (int -> int -> Text.buffer -> unit) option; finish : unit -> string * (float * float) option }

exception Not_covered of string

let get c name = List.assoc name c.problem
let classes c = List.length c.sides.positive
let field (v : Json.t) name = match v with Object f -> List.assoc_opt name f | _ -> None
let dy_zero : Core.dy = { man = Z.zero; ex = Z.zero }
let bias_of c : Core.bias_kind * string =
  match get c "bias" with String "free" -> (Free, "free") | String "augmented" -> (Augmented, "augmented") | _ -> (NoBias, "none")
let unit_row y = if y > 0 then Z.one else Z.minus_one

(* C_i along the rows, and what the sentence says of them. *)
let read_costs c =
  let record = get c "C" in
  if field record "rows" <> None then begin
    let along = Data.cursor (reals (List.hd (fields record "C" [ "rows" ])) "C" c.n) in
    if Array.exists (fun v -> v <= 0.0) along.along then reject "C must be above 0 for the rows that take part, and 0 for the others.";
    let low = ref infinity and high = ref neg_infinity in
    let cost row part =
      match Data.value_at along row with
      | Some v when part <> 0 -> low := Float.min !low v; high := Float.max !high v; v
      | None when part = 0 -> 0.0
      | _ -> reject "C must be above 0 for the rows that take part, and 0 for the others."
    in
    (cost, fun () -> Rows (!low, !high))
  end else begin
    match List.map (real "C") (fields record "C" [ "positive"; "negative" ]) with
    | [ p; n ] ->
      if Float.min p n <= 0.0 || (c.sides.joint && p <> n) then reject "C must be above 0, and for all classes at once the same on both sides.";
      ((fun _ part -> if part > 0 then p else if part < 0 then n else 0.0), fun () -> Sides (p, n))
    | _ -> assert false
  end

let optimal c =
  let proof = fields c.proof "proof" [ "w"; "b"; "alpha"; "primal"; "dual" ] in
  let at = List.nth proof in
  let places, w = reals (at 0) "w" c.d in
  let b = real "b" (at 1) in
  let cost, costs = read_costs c in
  let hinge = get c "loss" = Json.String "hinge" in
  let alpha = Data.cursor (reals (at 2) "alpha" c.n) in
  let upper = real "primal" (at 3) and lower = real "dual" (at 4) in
  let values, ws = Data.common w in
  let bias, bias_name = bias_of c in
  let h = Data.height c.d and d = Z.of_int c.d and ws = Z.of_int ws in
  let table = Data.lookup c.d places values in
  let (start, step), finish =
    Core.optimal_check (if hinge then Hinge else Squared) bias h d table ws (dyadic b) (dyadic lower) (dyadic upper) in
  let state = ref start in
  let row i part buffer =
    let ci = cost i part in
    let a = match Data.value_at alpha i with Some a -> a | None -> 0.0 in
    if a < 0.0 || (a <> 0.0 && part = 0) || (hinge && a > ci) then reject "alpha[%d] = %s is not between 0 and C = %s." i (value a) (value ci);
    if part <> 0 then begin
      let scale, entries = Data.entries buffer in
      state := step !state (Core.optimal_sample (Core.plain scale entries) (unit_row part) (dyadic ci) (dyadic a))
    end
  in
  let finish () =
    if not (finish !state) then begin
      let primal, dual = Core.optimal_values bias h d table ws (dyadic b) !state in
      if (bias = Free && Z.sign (!state).unbalance.man <> 0) || (bias = NoBias && b <> 0.0) then
        reject "The bias is free and sum alpha_i y_i not zero, or there is none and b not zero.";
      if Q.gt (of_dy primal) (Q.of_float upper) || Q.lt (of_dy dual) (Q.of_float lower) then
        reject "The points prove an optimum %s, not the claimed one." (between (of_dy dual) (of_dy primal));
      reject "The primal value is below zero or the dual one, or the dual one below a primal of zero."
    end;
    ( optimum c.sides ~loss:(if hinge then "hinge" else "squared_hinge") ~bias:bias_name ~kernel:"linear" ~costs:(costs ()) (Q.of_float lower)
        (Q.of_float upper),
      Some (upper, lower) )
  in
  { row; second = None; finish }

(* The rows a of a sample with their places: one for two sides, one for each other class. *)
let vectors c bias i part buffer : (int * Core.row) list =
  let scale, entries = Data.entries buffer in
  let d = Z.of_int c.d in
  if not c.sides.joint then [ (i, Core.two bias d (unit_row part) scale entries) ]
  else begin
    let k = classes c in
    List.filter_map
      (fun m ->
        if m = part - 1 then None
        else Some ((i * k) + m, Core.pair bias (Z.of_int k) d (Z.of_int (part - 1)) (Z.of_int m) scale entries))
      (List.init k Fun.id)
  end

(* All places of a sample, those without a row too. *)
let places_of c i = if c.sides.joint then List.init (classes c) (fun m -> (i * classes c) + m) else [ i ]
let length_of c = if c.sides.joint then c.n * classes c else c.n

let margin c bias record table =
  let parts = fields record "margin" [ "lower"; "upper"; "alpha" ] in
  let lower = real "lower" (List.nth parts 0) and upper = real "upper" (List.nth parts 1) in
  let alpha = Data.cursor (weights (List.nth parts 2) "alpha" c.n) in
  let (start, step), finish = Core.margin_check bias (Data.height c.d) (Z.of_int c.d) table Z.zero (dyadic lower) (dyadic upper) in
  let state = ref start and held = ref [] and plus = ref Z.zero and minus = ref Z.zero in
  let row i part buffer =
    let a = match Data.value_at alpha i with Some a -> a | None -> Z.zero in
    if part = 0 then begin if Z.sign a <> 0 then reject "alpha must have weight on each side, and only on rows that take part." end
    else begin
      let scale, entries = Data.entries buffer in
      let x = Core.plain scale entries in
      if Z.sign a = 0 then state := step !state (Core.margin_item x (unit_row part) Z.zero)
      else begin
        (if part > 0 then plus := Z.add !plus a else minus := Z.add !minus a);
        held := (x, part, a) :: !held
      end
    end
  in
  let finish () =
    if (bias && (Z.sign !plus = 0 || Z.sign !minus = 0)) then reject "alpha must have weight on each side, and only on rows that take part.";
    List.iter
      (fun (x, part, a) ->
        let w = if not bias then a else Z.mul a (if part > 0 then !minus else !plus) in
        state := step !state (Core.margin_item x (unit_row part) w))
      !held;
    if not (finish !state) then reject "w or alpha does not prove the claimed bounds on the margin.";
    (Q.of_float lower, Q.of_float upper)
  in
  (row, finish)

let separation c =
  let joint = c.sides.joint in
  if field c.proof "estimates" <> None then raise (Not_covered "the estimates of a logistic regression");
  let with_margin = c.kind = "separating" && (not joint) && field c.proof "margin" <> None in
  let plane = if c.kind = "inseparable" then [] else [ "w"; "b" ] in
  let tied = if c.kind = "separating" then [] else [ "circuit"; "cover"; "denominator" ] in
  ignore (fields c.proof "proof" (plane @ tied @ if with_margin then [ "margin" ] else []));
  let proof name = Option.get (field c.proof name) in
  let bias = get c "bias" = Json.String "free" and k = if joint then classes c else 1 in
  let p = k * c.d in
  let size = if bias then p + k else p in
  let places, values, b =
    if plane = [] then ([||], [||], ([||], [||]))
    else begin
      let places, values = integers (proof "w") "w" p in
      let b = if joint then integers (proof "b") "b" k else let b = integer "b" (proof "b") in if Z.sign b = 0 then ([||], [||]) else ([| 0 |], [| b |]) in
      (places, values, b)
    end
  in
  let no_bias = (not bias) && Array.length (fst b) > 0 in
  let table = Data.lookup (p + k) (Array.append places (Array.map (fun m -> p + m) (fst b))) (Array.append values (snd b)) in
  let length = length_of c in
  let circuit = Data.cursor (if tied = [] then ([||], [||]) else weights (proof "circuit") "circuit" length) in
  let cover = Data.cursor (if tied = [] then ([||], [||]) else integers (proof "cover") "cover" length) in
  let q = if tied = [] then Z.one else integer "denominator" (proof "denominator") in
  let kind : Core.kind = match c.kind with "separating" -> Separating | "inseparable" -> Inseparable | _ -> Quasi in
  let (start, step), finish = Core.separation_check kind (Data.height size) (Z.of_int size) table Z.zero q in
  let state = ref start in
  let margin = if with_margin then Some (margin c bias (proof "margin") table) else None in
  let row i part buffer =
    let rows = if part = 0 then [] else vectors c bias i part buffer in
    List.iter
      (fun place ->
        let weight = Data.value_at circuit place and covered = Data.value_at cover place in
        match List.assoc_opt place rows with
        | None -> if weight <> None || covered <> None then reject "Circuit or cover has a weight that is negative, or on a row that is not tied."
        | Some a ->
          let zero = Option.value ~default:Z.zero in
          let before = Core.separation_good !state in
          state := step !state (Core.separation_item a (zero weight) (zero covered));
          if before && not (Core.separation_good !state) then
            if c.kind = "inseparable" || weight <> None || covered <> None then
              reject "Circuit or cover has a weight that is negative, or on a row that is not tied."
            else reject "Row %d is not on its side of the hyperplane." place)
      (places_of c i);
    match margin with Some (row, _) -> row i part buffer | None -> ()
  in
  let finish () =
    if no_bias then reject "The problem has no bias, yet b is not zero.";
    if not (finish !state) then
      if c.kind = "quasi-separable" && not ((!state).strict && Z.sign (!state).tied > 0) then
        reject "A quasi-separable certificate needs rows on the hyperplane and rows off it."
      else if Z.sign q <= 0 then reject "Circuit or cover has a weight that is negative, or on a row that is not tied."
      else reject "The weights of the circuit, or of the cover, do not cancel the rows.";
    let interval = match margin with Some (_, finish) -> Some (finish ()) | None -> None in
    let tied = Z.to_string (Core.separation_tied !state) in
    ((if joint then functions c.sides c.kind bias tied else hyperplane c.sides c.kind bias tied interval), None)
  in
  { row; second = None; finish }

let mistakes c =
  let joint = c.sides.joint in
  let algorithm = word (get c "algorithm") "algorithm" [ "perceptron"; "gradient" ] in
  let gain = real "gain" (get c "gain") and from_row = word (get c "start") "start" [ "zero"; "row" ] = "row" in
  let rule : Core.rule =
    match get c "step" with String "decreasing" -> DecreasingStep | String "line-search" -> LineSearchStep | v -> FixedStep (dyadic (real "step" v)) in
  let fixed = match rule with FixedStep s -> Some s | _ -> None in
  if gain < 0.0 || (match fixed with Some s -> Z.sign s.man <= 0 | None -> false) || (rule = LineSearchStep && algorithm = "perceptron") then
    reject "The gain must not be below 0, a step must be above; the perceptron has no line search.";
  let counted = field c.proof "updates" <> None in
  if counted && fixed = None then reject "Updates say nothing of the weights unless the step is a number.";
  ignore (fields c.proof "proof" ([ "witness"; "bound" ] @ if not counted then [] else if from_row then [ "updates"; "start" ] else [ "updates" ]));
  let proof name = Option.get (field c.proof name) in
  let k = if joint then classes c else 1 in
  let witness = fields (proof "witness") "witness" [ "w"; "b" ] in
  let b_places, b = reals (List.nth witness 1) "witness.b" k in
  if Array.length b > 0 && gain = 0.0 then reject "A run through the origin has no bias.";
  let bound = count (proof "bound") "bound" in
  let p = k * c.d in
  let w_places, w = reals (List.nth witness 0) "witness.w" p in
  let length = length_of c in
  let updates_all = if counted then weights (proof "updates") "updates" length else ([||], [||]) in
  let start_place = if counted && from_row then Some (count (proof "start") "start") else None in
  let sum = Array.fold_left Z.add Z.zero (snd updates_all) in
  let total = if algorithm = "perceptron" then sum else Array.fold_left Z.max Z.zero (snd updates_all) in
  if counted && Z.gt total (Z.of_int bound) then reject "%s updates are above the bound %d." (Z.to_string total) bound;
  let values, ws = Data.common (Array.append w b) in
  let table = Data.lookup (p + k) (Array.append w_places (Array.map (fun m -> p + m) b_places)) values in
  let bias = gain > 0.0 in
  let size = if bias then p + k else p in
  let step_size = match fixed with Some s -> s | None -> dy_zero in
  let (start, step), finish =
    Core.mistakes_check (Data.height size) (Z.of_int size) (Z.of_int p) (dyadic gain) table (Z.of_int ws) step_size
      (if algorithm = "perceptron" then Perceptron else Gradient) rule from_row (Z.of_int bound) in
  let state = ref start and started = ref false in
  let items updates f i part buffer =
    let rows = if part = 0 then [] else vectors c bias i part buffer in
    List.iter
      (fun place ->
        let times = Data.value_at updates place and starts = start_place = Some place in
        match List.assoc_opt place rows with
        | None -> if times <> None || starts then reject "An update, or the start, is of a row that takes no part."
        | Some a -> if starts then started := true; f (Core.mistakes_item a (Option.value ~default:Z.zero times) starts))
      (places_of c i)
  in
  let first = Data.cursor updates_all in
  let row = items first (fun item -> state := step !state item) in
  let separated = ref true in
  let second =
    if not counted then None
    else begin
      let again = Data.cursor updates_all in
      let check = lazy (Core.mistakes_second !state) in
      Some (items again (fun item -> separated := Lazy.force check !separated item))
    end
  in
  let finish () =
    if start_place <> None && not !started then reject "An update, or the start, is of a row that takes no part.";
    if counted && not !separated then reject "The weights that the updates imply do not separate the rows.";
    if not (finish !state) then
      if Z.sign (!state).least0.man <= 0 then reject "The witness does not separate the rows."
      else reject "The theorem of this variant does not exclude %d updates." (bound + 1);
    let step = match get c "step" with String "decreasing" -> "1/sqrt(t)" | String "line-search" -> "by line search" | v -> value (real "step" v) in
    let counted = if counted then Some (Z.to_string sum, Option.map (fun s -> s / k) start_place) else None in
    (perceptron c.sides ~algorithm ~step ~from_row ~gain ~bound counted, None)
  in
  { row; second; finish }
