(* The course of every check: the data, the proved check of the kind, the statement. Whatever goes wrong is a rejection. *)
open Numerals

type outcome = Proved | Conditional | Rejected_ | Not_covered
type t = { outcome : outcome; reason : string; kind : string; bounds : (float * float) option }

(* Labelled rows: every row in order with its label, as often as asked for; whether K was given with them; d. *)
type source = { labels : string; columns : int -> int; rows : (string -> Text.buffer -> unit) -> unit; matrix : float array array option }

let read_problem kind problem =
  ignore (word (Json.String kind) "kind" [ "optimal"; "mistakes"; "separating"; "inseparable"; "quasi-separable" ]);
  let known names = ignore (fields problem "problem" names) in
  let get name = Option.get (Checks.field problem name) in
  if kind = "mistakes" then known [ "algorithm"; "gain"; "step"; "start"; "classes" ]
  else if kind = "optimal" then begin
    known [ "loss"; "bias"; "kernel"; "C"; "classes" ];
    ignore (word (get "loss") "loss" [ "hinge"; "squared_hinge" ]);
    ignore (word (get "bias") "bias" [ "free"; "augmented"; "none" ])
  end else begin
    known [ "bias"; "kernel"; "classes" ];
    ignore (word (get "bias") "bias" [ "free"; "none" ]);
    if get "classes" = Json.String "ordinal" then raise (Checks.Not_covered "ordered classes")
  end;
  ignore (word (get "classes") "classes" [ "two"; "joint" ]);
  (match Checks.field problem "kernel" with Some (Object _) | None -> () | Some v -> ignore (word v "kernel" [ "linear" ]));
  match problem with Object f -> f | _ -> assert false

let is_function problem = match List.assoc_opt "kernel" problem with Some k -> Checks.field k "name" = Some (Json.String "function") | None -> false

let list_of (v : Json.t) = match v with List a -> Array.to_list a | _ -> reject "data.positive, data.negative and data.excluded must be lists."

(* The sides of the claim, and the part of a label. *)
let read_sides joint labels positive negative excluded =
  let p = list_of positive and n = list_of negative and e = list_of excluded in
  let names = List.map (Data.named_label labels) in
  let p = names p and n = names n in
  let part_of = Hashtbl.create 16 in
  let add part label = if Hashtbl.mem part_of label then reject "A label is named twice, or none is."; Hashtbl.add part_of label part in
  List.iteri (fun i l -> add (if joint then i + 1 else 1) l) p;
  List.iter (add (-1)) n;
  if Hashtbl.length part_of = 0 then reject "A label is named twice, or none is.";
  if joint && (n <> [] || List.length p < 2) then reject "All classes at once are two or more, all named as positive and all among the labels.";
  let bad v = reject "data.excluded must be increasing rows with a named label; got %s." (shown v) in
  let last = ref (-1) in
  let e = List.map (function Json.Int i when i > !last -> last := i; i | v -> bad v) e in
  ( { Sentence.joint; text = labels = "text"; positive = p; negative = n; excluded = e; plus = 0; minus = 0; all = 0; occurring = [] },
    fun label -> Option.value ~default:0 (Hashtbl.find_opt part_of label) )

let choose matrix (c : Checks.context) : Checks.run =
  if c.kind = "mistakes" then Checks.mistakes c
  else
    match (c.kind, Checks.get c "kernel") with
    | "optimal", Object _ when c.sides.joint -> Joint.kernelised matrix c
    | "optimal", _ when c.sides.joint -> Joint.linear c
    | "optimal", Object _ -> Kernelised.optimal matrix c
    | _, Object _ -> Kernelised.contradiction matrix c
    | "optimal", _ -> Checks.optimal c
    | _ -> Checks.separation c

(* One stage after the other; a later one is not reached where an earlier one rejects, but data are read in any case. *)
let check_all (body : (string * Json.t) list) (source : source) : t =
  let at name = List.assoc name body in
  let kind = match at "kind" with String s -> s | v -> shown v in
  let answer outcome reason bounds = { outcome; reason; kind; bounds } in
  let attempt f = try Ok (f ()) with Rejected s -> Error s | Checks.Not_covered s -> Error ("\000" ^ s) in
  let ( let* ) = Result.bind in
  let record = at "data" and conditions = ref "" in
  let problem = attempt (fun () -> read_problem kind (at "problem")) in
  let shape =
    attempt (fun () ->
        let f = fields record "data" [ "rows"; "columns"; "type"; "X"; "y"; "labels"; "positive"; "negative"; "excluded" ] in
        let nth = List.nth f in
        ignore (word (nth 2) "data.type" [ "float64"; "float32" ]);
        (count (nth 0) "data.rows", count (nth 1) "data.columns", nth 3, nth 4, nth 5, (nth 6, nth 7, nth 8))) in
  let claimed = match shape with Ok (n, d, _, _, _, _) -> Some (n, d) | Error _ -> None in
  let prepared =
    let* problem = problem in
    let* n, d, _, _, _, (positive, negative, excluded) = shape in
    let joint = List.assoc "classes" problem = Json.String "joint" in
    let* sides, part_of = attempt (fun () -> read_sides joint source.labels positive negative excluded) in
    Ok (problem, n, d, sides, part_of)
  in
  let run =
    let* problem, n, d, sides, _ = prepared in
    if n > 0xffffffff || d > 0xffffffff then Error "The certificate speaks of too many rows or columns."
    else if is_function problem <> (source.matrix <> None) then Error "A matrix of kernel values is needed where, and only where, the kernel is a function."
    else
      attempt (fun () ->
          (match at "proof" with Object _ -> () | _ -> reject "The field proof must be an object.");
          choose source.matrix { n; d; sides; problem; proof = at "proof"; kind; conditions })
  in
  let trouble = ref None in
  let pass handle =
    let marks = Data.marks (match claimed with Some (_, d) -> d | None -> 0) source.labels in
    let sides_part = match prepared with Ok (_, _, _, sides, part_of) -> Some (sides, part_of, Hashtbl.create 16) | Error _ -> None in
    (match sides_part with
     | Some (sides, _, table) ->
       sides.plus <- 0; sides.minus <- 0; sides.all <- 0;
       List.iter (fun e -> Hashtbl.replace table e ()) sides.excluded
     | None -> ());
    let left_out = ref 0 in
    source.rows (fun label buffer ->
        let i = marks.n in
        Data.mark marks label buffer;
        match sides_part with
        | None -> ()
        | Some (sides, part_of, excluded) ->
          let part = part_of label in
          let out = Hashtbl.mem excluded i in
          if out && part <> 0 then incr left_out;
          let part = if out then 0 else part in
          sides.all <- sides.all + 1;
          if part > 0 then sides.plus <- sides.plus + 1 else if part < 0 then sides.minus <- sides.minus + 1;
          if !trouble = None then
            match handle with
            | Some f -> ( try f i part buffer with Rejected s -> trouble := Some s)
            | None -> ());
    (marks, !left_out)
  in
  let compare_data (marks : Data.marks) =
    let* n, d, mark_x, mark_y, form, _ = shape in
    let given = source.columns d in
    if (n, d) <> (marks.n, given) || marks.wide then
      Error (Printf.sprintf "The certificate speaks of %d rows and %d columns; the data have %d and %d, and %d labels." n d marks.n given marks.n)
    else
      let* form = attempt (fun () -> word form "data.labels" [ "number"; "text" ]) in
      if form <> source.labels then Error (Printf.sprintf "The certificate has labels of the kind %s; those of the data are %s." form source.labels)
      else if mark_x <> Json.String (Data.fingerprint_x marks) then Error "The rows X are not those of the certificate: their fingerprint differs."
      else if mark_y <> Json.String (Data.fingerprint_y marks) then Error "The labels y are not those of the certificate: their fingerprint differs."
      else Ok ()
  in
  let finish_pass (marks, left_out) =
    let* _ = problem in
    let* () = compare_data marks in
    let* _, _, _, sides, _ = prepared in
    sides.occurring <- List.rev marks.names;
    if sides.joint && not (List.for_all (Hashtbl.mem marks.classes) sides.positive) then
      Error "All classes at once are two or more, all named as positive and all among the labels."
    else if left_out <> List.length sides.excluded then Error "data.excluded must be increasing rows with a named label."
    else if sides.plus + sides.minus = 0 then Error "No row takes part."
    else match !trouble with Some s -> Error s | None -> Ok sides
  in
  let first = pass (match run with Ok r -> Some r.row | Error _ -> None) in
  let result =
    let* sides = finish_pass first in
    let* run = run in
    let* () = match run.second with None -> Ok () | Some f -> Result.map ignore (finish_pass (pass (Some f))) in
    let* sentence, bounds = attempt run.finish in
    let statement = Sentence.complete sides sentence in
    if at "claim" <> String statement then Error ("The claim of the certificate is not what its numbers prove, which is: " ^ statement)
    else Ok (statement, bounds)
  in
  match result with
  | Ok (statement, bounds) when !conditions <> "" ->
    answer Conditional (Printf.sprintf "Proved in exact arithmetic, but only if %s: %s" !conditions statement) bounds
  | Ok (statement, bounds) -> answer Proved ("Proved in exact arithmetic: " ^ statement) bounds
  | Error s when s <> "" && s.[0] = '\000' -> answer Not_covered (String.sub s 1 (String.length s - 1)) None
  | Error s -> answer Rejected_ s None

(* Nothing that goes wrong within is taken for a proof, nor for data that cannot be read. *)
let check body source =
  try check_all body source with
  | (Text.Unreadable _ | Text.Zero_index | Sys_error _ | Out_of_memory) as e -> raise e
  | e -> { outcome = Rejected_; reason = "The check failed: " ^ Printexc.to_string e; kind = "unknown"; bounds = None }
