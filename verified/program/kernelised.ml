(* Claims with a kernel. All rows are kept, since every pair of them is looked at. *)
open Numerals
open Sentence
open Checks

let fields_of = function
  | "poly" -> [ "degree"; "gamma"; "coef0" ] | "rbf" | "laplacian" -> [ "gamma" ] | "sigmoid" -> [ "gamma"; "coef0" ]
  | "sum" | "product" -> [ "parts" ] | "scaled" -> [ "factor"; "parts" ] | _ -> []

let known = [ "linear"; "poly"; "rbf"; "laplacian"; "sigmoid"; "precomputed"; "function"; "sum"; "product"; "scaled" ]
let parts_of = function "sum" | "product" -> 2 | "scaled" -> 1 | _ -> 0

(* A kernel from outside the theorem: its name and numbers. *)
type outside = Rbf of Core.dy | Laplacian of Core.dy | Sigmoid of Core.dy * Core.dy | Given

type t = { core : Core.kernel; text : string; given : bool; size : int; order : int; definite : bool }

let rec read outsides depth (record : Json.t) : t =
  let name = word (Option.value ~default:Json.Null (field record "name")) "The kernel" known in
  ignore (fields record ("kernel " ^ name) ("name" :: fields_of name));
  let number n default = match field record n with Some v -> real n v | None -> default in
  let gamma = number "gamma" 1.0 and coef0 = number "coef0" 0.0 and factor = number "factor" 1.0 in
  let degree = match field record "degree" with Some v -> count v "degree" | None -> 1 in
  let items = match field record "parts" with None -> [] | Some (List a) -> Array.to_list a | Some _ -> [ Json.Null; Null; Null ] in
  if List.length items <> parts_of name || depth > 16 then reject "The kernel %s must have %d parts, and not too many in all." name (parts_of name);
  let parts = List.map (read outsides (depth + 1)) items in
  if gamma < 0.0 || factor <= 0.0 || List.exists (fun p -> p.given) parts then
    reject "gamma must be at least 0, a factor above 0, and no part of a kernel a given matrix.";
  let size = List.fold_left (fun n p -> n + p.size) 1 parts in
  let orders = if parts = [] then [ degree ] else List.map (fun p -> p.order) parts in
  let order = if name = "product" then List.fold_left ( + ) 0 orders else List.fold_left max 0 orders in
  if size > 16 || order > 16 then
    reject "A kernel of a certificate has at most 16 parts, and degrees that come to 16; this one has %d and %d." size order;
  let outside o = outsides := !outsides @ [ o ]; Core.Outside (Z.of_int (List.length !outsides - 1)) in
  let g = dyadic gamma and c = dyadic coef0 in
  let core : Core.kernel =
    match (name, parts) with
    | "linear", _ -> Linear
    | "poly", _ -> Poly (Data.nat degree, g, c)
    | "rbf", _ -> outside (Rbf g)
    | "laplacian", _ -> outside (Laplacian g)
    | "sigmoid", _ -> outside (Sigmoid (g, c))
    | "sum", [ a; b ] -> Sum (a.core, b.core)
    | "product", [ a; b ] -> Product (a.core, b.core)
    | "scaled", [ a ] -> Scaled (dyadic factor, a.core)
    | _ -> outside Given
  in
  let text =
    match parts with
    | [] ->
      let found =
        List.filter_map
          (fun n -> Option.map (fun v -> Printf.sprintf "%s = %s" n (if n = "degree" then string_of_int degree else value (real n v))) (field record n))
          [ "degree"; "gamma"; "coef0" ] in
      if found = [] then name else Printf.sprintf "%s (%s)" name (String.concat ", " found)
    | _ ->
      let inside = List.map (fun p -> "(" ^ p.text ^ ")") parts in
      String.concat (if name = "sum" then " + " else " * ") ((if name = "scaled" then [ value factor ] else []) @ inside)
  in
  let definite = if parts <> [] then List.for_all (fun p -> p.definite) parts else List.mem name [ "linear"; "rbf"; "laplacian" ] || (name = "poly" && coef0 >= 0.0) in
  { core; text; given = name = "precomputed" || name = "function"; size; order; definite }

(* ||x - z||_1 of two rows, by their entries *)
let distance (x : Core.row) (z : Core.row) : Core.dy =
  let entries (r : Core.row) = match r with [ (_, es) ] -> es | _ -> [] in
  let value (r : Core.row) m : Core.dy = match r with [ ((k, _), _) ] -> { k with man = Z.mul m k.man } | _ -> dy_zero in
  let abs (a : Core.dy) : Core.dy = { a with man = Z.abs a.man } in
  let rec go acc a b =
    match (a, b) with
    | [], [] -> acc
    | (_, m) :: a, [] -> go (Core.dadd acc (abs (value x m))) a []
    | [], (_, m) :: b -> go (Core.dadd acc (abs (value z m))) [] b
    | (i, m) :: a', (j, n) :: b' ->
      let order = Z.compare i j in
      if order < 0 then go (Core.dadd acc (abs (value x m))) a' b
      else if order > 0 then go (Core.dadd acc (abs (value z n))) a b'
      else go (Core.dadd acc (abs (Core.dsub (value x m) (value z n)))) a' b'
  in
  go dy_zero (entries x) (entries z)

let ends outsides (matrix : int -> int -> Core.dy) n (x : Core.point) (z : Core.point) =
  let dot (a : Core.point) (b : Core.point) = Core.tdot (fst a) (snd b) in
  let two : Core.dy = { man = Z.of_int 2; ex = Z.zero } in
  match List.nth outsides (Z.to_int n) with
  | Rbf g -> Exponential.exp_minus (Core.dmul g (Core.dsub (Core.dadd (dot x x) (dot z z)) (Core.dmul two (dot x z))))
  | Laplacian g -> Exponential.exp_minus (Core.dmul g (distance (fst x) (fst z)))
  | Sigmoid (g, c) -> Exponential.tanh (Core.dadd (Core.dmul g (dot x z)) c)
  | Given ->
    let index (p : Core.point) = match fst p with [ (_, [ (j, _) ]) ] -> Z.to_int j | _ -> raise (Not_covered "a row without a number") in
    let v = matrix (index x) (index z) in
    (v, v)

(* Rejects a symmetric matrix that is not positive semidefinite, by elimination without fractions. *)
let check_definite (k : Z.t array array) =
  let n = Array.length k and before = ref Z.one in
  for p = 0 to n - 1 do
    let pivot = k.(p).(p) in
    if Z.sign pivot < 0 || (Z.sign pivot = 0 && Array.exists (fun v -> Z.sign v <> 0) (Array.sub k.(p) p (n - p))) then
      reject "The kernel matrix is not positive semidefinite.";
    if Z.sign pivot > 0 then begin
      for i = p + 1 to n - 1 do
        let factor = k.(i).(p) in
        for j = p to n - 1 do k.(i).(j) <- Z.divexact (Z.sub (Z.mul pivot k.(i).(j)) (Z.mul factor k.(p).(j))) !before done
      done;
      before := pivot
    end
  done

let enclosures_named = "exp and tanh lie in the enclosures that this program computes, which is not proved in Coq, and "
let definite_known = "the kernel is positive semidefinite, which is known, but not proved in Coq"
let definite_unknown = "the kernel matrix is positive semidefinite, which no theorem says of this kernel"
let given_condition = "the kernel matrix that was given is positive semidefinite, which this program does not prove"

(* The condition of an answer that has one. *)
let condition kernel outsides =
  if kernel.given then given_condition
  else (if outsides = [] then "" else enclosures_named) ^ if kernel.definite then definite_known else definite_unknown

(* Rows that take part, kept with their numbers; what the kernel is; the check at the end. *)
type kept = { mutable rows : (int * int * Core.row) list; mutable matrix_rows : (int * (int, float) Hashtbl.t) list }

let keep kernel kept i part (buffer : Text.buffer) =
  if part <> 0 then begin
    if kernel.given then begin
      kept.rows <- (i, part, Core.plain Z.zero [ (Z.of_int i, Z.one) ]) :: kept.rows;
      let table = Hashtbl.create buffer.length in
      for e = 0 to buffer.length - 1 do Hashtbl.replace table buffer.columns.(e) buffer.values.(e) done;
      kept.matrix_rows <- (i, table) :: kept.matrix_rows
    end else begin
      let scale, entries = Data.entries buffer in
      kept.rows <- (i, part, Core.plain scale entries) :: kept.rows
    end
  end

(* The given matrix on the rows that take part: square, symmetric, and definite where that can be decided. *)
let read_matrix c kernel kept given =
  if not kernel.given then fun _ _ -> dy_zero
  else begin
    let rows = Hashtbl.create 64 in
    (match given with
     | Some (k : float array array) ->
       if Array.length k <> c.n || Array.exists (fun r -> Array.length r <> c.n) k then
         reject "The matrix must be %d x %d; got %d x %d." c.n c.n (Array.length k) (if k = [||] then 0 else Array.length k.(0));
       List.iter (fun (i, _, _) -> Hashtbl.replace rows i (fun j -> k.(i).(j))) kept.rows
     | None ->
       if c.n <> c.d then reject "A kernel matrix must be square; got %d rows and %d columns." c.n c.d;
       List.iter (fun (i, table) -> Hashtbl.replace rows i (fun j -> Option.value ~default:0.0 (Hashtbl.find_opt table j))) kept.matrix_rows);
    let at i j = (Hashtbl.find rows i) j in
    let numbers = Array.of_list (List.rev_map (fun (i, _, _) -> i) kept.rows) in
    Array.iteri (fun a i -> for b = 0 to a - 1 do if at i numbers.(b) <> at numbers.(b) i then reject "The kernel matrix is not symmetric in row %d." i done) numbers;
    let n = Array.length numbers in
    if n <= 64 then begin
      let flat, _ = Data.common (Array.concat (Array.to_list (Array.map (fun i -> Array.map (fun j -> at i j) numbers) numbers))) in
      check_definite (Array.init n (fun a -> Array.sub flat (a * n) n))
    end;
    fun i j -> dyadic (at i j)
  end

let settle kernel outsides (answer : Core.answer) ~refused =
  match answer with Refused -> reject "%s" refused | Unconditional -> "" | Conditional -> condition kernel outsides

let optimal given c =
  let with_coef = field c.proof "coef" <> None in
  let proof = fields c.proof "proof" ([ "b"; "alpha"; "primal"; "dual" ] @ if with_coef then [ "coef" ] else []) in
  let at = List.nth proof in
  let outsides = ref [] in
  let kernel = read outsides 0 (get c "kernel") in
  let b = real "b" (at 0) and hard = get c "C" = Json.String "hard" and hinge = get c "loss" = Json.String "hinge" in
  if hard && not hinge then reject "A hard margin has no losses; its loss is written as hinge.";
  let cost, costs = if hard then ((fun _ _ -> infinity), fun () -> Hard) else read_costs c in
  let alpha = Data.cursor (reals (at 1) "alpha" c.n) and coef = Data.cursor (if with_coef then reals (at 4) "coef" c.n else ([||], [||])) in
  let upper = real "primal" (at 2) and lower = real "dual" (at 3) in
  let bias, bias_name = bias_of c in
  let kept = { rows = []; matrix_rows = [] } and numbers = ref [] in
  let row i part buffer =
    let ci = cost i part in
    let a = Option.value ~default:0.0 (Data.value_at alpha i) and co = Data.value_at coef i in
    if a < 0.0 || (a <> 0.0 && part = 0) || (hinge && a > ci) then reject "alpha[%d] = %s is not between 0 and C = %s." i (value a) (value ci);
    if co <> None && part = 0 then reject "coef is not zero on a row that takes no part.";
    keep kernel kept i part buffer;
    if part <> 0 then begin
      let co = if with_coef then Option.value ~default:0.0 co else if part > 0 then a else -.a in
      numbers := (ci, a, co) :: !numbers
    end
  in
  let finish () =
    let matrix = read_matrix c kernel kept given in
    let samples =
      List.rev_map2
        (fun (_, part, x) (ci, a, co) -> Core.kernel_sample x (unit_row part) (if hard then dy_zero else dyadic ci) (dyadic a) (dyadic co))
        kept.rows !numbers in
    let width = if kernel.given then c.n else c.d in
    let h = Data.height width and d = Z.of_int width and oracle = ends !outsides matrix in
    let answer =
      if hard then Core.kernel_hard h d kernel.core oracle bias (dyadic b) (dyadic lower) (dyadic upper) samples
      else Core.kernel_optimal h d kernel.core oracle (if hinge then Hinge else Squared) bias (dyadic b) (dyadic lower) (dyadic upper) samples in
    c.conditions := settle kernel !outsides answer ~refused:"The points do not prove that the optimum lies where it is claimed to lie.";
    ( optimum c.sides ~loss:(if hinge then "hinge" else "squared_hinge") ~bias:bias_name ~kernel:kernel.text ~costs:(costs ()) (Q.of_float lower)
        (Q.of_float upper),
      Some (upper, lower) )
  in
  { row; second = None; finish }

let contradiction given c =
  if c.kind <> "inseparable" || c.sides.joint then reject "In the space of a kernel only inseparable claims about two sides are known.";
  let circuit = Data.cursor (weights (List.hd (fields c.proof "proof" [ "circuit" ])) "circuit" c.n) in
  let outsides = ref [] in
  let kernel = read outsides 0 (get c "kernel") in
  let bias = get c "bias" = Json.String "free" in
  let kept = { rows = []; matrix_rows = [] } and numbers = ref [] in
  let row i part buffer =
    let w = Data.value_at circuit i in
    if w <> None && part = 0 then reject "The circuit uses a row that takes no part.";
    keep kernel kept i part buffer;
    if part <> 0 then numbers := Option.value ~default:Z.zero w :: !numbers
  in
  let finish () =
    let matrix = read_matrix c kernel kept given in
    if !outsides <> [] && not kernel.given then raise (Not_covered "contradictions in the space of a kernel with exp or tanh");
    let one : Core.dy = { man = Z.one; ex = Z.zero } in
    let samples = List.rev_map2 (fun (_, part, x) w -> Core.kernel_sample x (unit_row part) one { man = w; ex = Z.zero } dy_zero) kept.rows !numbers in
    let width = if kernel.given then c.n else c.d in
    let answer = Core.kernel_contradiction (Data.height width) (Z.of_int width) kernel.core (ends !outsides matrix) bias samples in
    c.conditions := settle kernel !outsides answer ~refused:"The weights of the circuit do not balance the two sides, or do not cancel the images of its rows.";
    let used = Array.length circuit.places in
    ( Printf.sprintf "In the space of the %s kernel nothing %s strictly separates %s: %d rows contradict each other" kernel.text (through bias)
        (sides c.sides "from") used,
      None )
  in
  { row; second = None; finish }
