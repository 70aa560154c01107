(* separatrix-check CERTIFICATE DATA: the command line, and a batch of small documents on the standard input. *)
open Numerals

let usage =
  "usage: separatrix-check CERTIFICATE DATA [--format auto|libsvm|csv] [--label-column NAME] [--delimiter D] [--zero-based] [--max-bytes N] [--json]\n\
  \       separatrix-check --batch < LINES"

exception Usage of string

let codes = function Verdict.Proved -> 0 | Conditional -> 2 | Rejected_ -> 3 | Not_covered -> 1
let name = function Verdict.Proved -> "proved" | Conditional -> "conditional" | Rejected_ -> "rejected" | Not_covered -> "not covered"

let hint = "hint: if LIBSVM indices start at 0, give --zero-based; rows must come in the order of the fit"

let float_json v = let s = Printf.sprintf "%.17g" v in if String.exists (function '.' | 'e' | 'n' | 'i' -> true | _ -> false) s then s else s ^ ".0"

let gap (bounds : (float * float) option) =
  match bounds with
  | None -> "null"
  | Some (primal, dual) ->
    let exact = Sentence.relative_gap (Q.of_float dual) (Q.of_float primal) in
    let near = Q.to_float exact in
    float_json (if Q.geq (Q.of_float near) exact then near else Float.succ near)

let report json rounded (v : Verdict.t) =
  if json then begin
    let primal, dual = match v.bounds with Some (p, d) -> (float_json p, float_json d) | None -> ("null", "null") in
    Printf.printf "{\"outcome\": \"%s\", \"reason\": %s, \"kind\": %s, \"arithmetic\": \"exact\", \"primal\": %s, \"dual\": %s, \"gap\": %s, \"rounded\": %s}\n"
      (name v.outcome) (Json.quoted v.reason) (Json.quoted v.kind) primal dual (gap v.bounds) (Json.quoted rounded)
  end else begin
    print_endline (if v.outcome = Rejected_ then "Rejected: " ^ v.reason else v.reason);
    if rounded <> "" then print_endline rounded
  end;
  if v.reason = "The rows X are not those of the certificate: their fingerprint differs." then prerr_endline hint

let not_covered (v : Verdict.t) =
  Printf.eprintf "error: this program has no theorem about %s; python -m separatrix.checker checks them.\n" v.reason

let run_files certificate data (layout : Text.layout) max_bytes json =
  match Document.load certificate max_bytes with
  | exception Rejected s -> report json "" { outcome = Rejected_; reason = s; kind = "unknown"; bounds = None }; 3
  | body ->
    let claimed = List.assoc "data" body in
    let single = Checks.field claimed "type" = Some (String "float32") in
    let labels = if Checks.field claimed "labels" = Some (Json.String "number") then "number" else "text" in
    let found = ref { Text.rounded = false; widest = 0 } and csv = ref false in
    let attempt zero_based =
      let layout = { layout with zero_based; single } in
      let bad_label = ref None in
      let rows f =
        let result, is_csv =
          Text.read data layout (fun token buffer ->
              match Data.parse_label token labels with
              | label -> f label buffer
              | exception Rejected s -> if !bad_label = None then bad_label := Some s)
        in
        found := result; csv := is_csv
      in
      let columns d = if !csv then !found.widest else max d !found.widest in
      let verdict = Verdict.check body { labels; columns; rows; matrix = None } in
      match !bad_label with Some s -> { verdict with outcome = Rejected_; reason = s; bounds = None } | None -> verdict
    in
    let verdict = try attempt layout.zero_based with Text.Zero_index -> attempt true in
    let rounded =
      if !found.rounded then Printf.sprintf "Decimal fractions in the file were read as the nearest numbers of %s precision." (if single then "single" else "double")
      else "" in
    if verdict.outcome = Not_covered then not_covered verdict else report json rounded verdict;
    codes verdict.outcome

(* ---- Batch: the lines of checkers/javascript/batch.mjs ---- *)
type data = { labels : string; y : string array; columns : int; x : float array array; matrix : float array array option }

let string_of (v : Json.t) = match v with String s -> s | _ -> reject "A text is expected."

let define (line : (string * Json.t) list) =
  let number v = if v = Json.String "-0x0.0p+0" then 0.0 else real "A number of the data" v in
  let items (v : Json.t) = match v with List a -> a | _ -> reject "A list is expected." in
  let matrix v = Array.map (fun row -> Array.map number (items row)) (items v) in
  let get n = match List.assoc_opt n line with Some v -> v | None -> reject "The data have no %s." n in
  let k = match List.assoc_opt "K" line with None | Some Null -> None | Some v -> Some (matrix v) in
  let d = count (get "columns") "columns" in
  let x = matrix (get "X") in
  if Array.exists (fun r -> Array.length r <> d) x then reject "A row has not as many columns as were said.";
  let y = Array.map string_of (items (get "y")) in
  if Array.length y <> Array.length x then reject "There are not as many labels as rows.";
  { labels = string_of (get "labels"); y; columns = d; x; matrix = k }

let check_batch data body =
  let b = Text.buffer () in
  let rows f =
    Array.iteri
      (fun i row ->
        b.length <- 0;
        Array.iteri (fun j v -> Text.push b j v) row;
        f data.y.(i) b)
      data.x
  in
  Verdict.check body { labels = data.labels; columns = (fun _ -> data.columns); rows; matrix = data.matrix }

let decode_base64 s =
  let out = Buffer.create (String.length s) and bits = ref 0 and count = ref 0 in
  String.iter
    (fun c ->
      let v = match c with 'A' .. 'Z' -> Char.code c - 65 | 'a' .. 'z' -> Char.code c - 71 | '0' .. '9' -> Char.code c + 4 | '+' -> 62 | '/' -> 63 | _ -> -1 in
      if v >= 0 then begin
        bits := ((!bits lsl 6) lor v) land 0xffffff; count := !count + 6;
        if !count >= 8 then begin count := !count - 8; Buffer.add_char out (Char.chr ((!bits lsr !count) land 0xff)) end
      end)
    s;
  Buffer.contents out

let batch () =
  let known = Hashtbl.create 16 in
  let answer (v : Verdict.t) = Printf.printf "{\"outcome\":%s,\"reason\":%s}\n%!" (Json.quoted (name v.outcome)) (Json.quoted v.reason) in
  let refuse reason = answer { outcome = Rejected_; reason; kind = ""; bounds = None } in
  try
    while true do
      let text = input_line stdin in
      if String.trim text <> "" then
        match Json.parse text with
        | exception Json.Malformed s -> refuse ("The line is no JSON: " ^ s)
        | Object line when List.mem_assoc "data" line ->
          Hashtbl.replace known (List.assoc "data" line) (try Ok (define line) with Rejected s -> Error s)
        | Object line -> (
          try
            match Hashtbl.find_opt known (Option.value ~default:Json.Null (List.assoc_opt "use" line)) with
            | None -> refuse "There are no data of this name."
            | Some (Error s) -> refuse s
            | Some (Ok data) ->
              let content =
                match List.assoc_opt "certificate_base64" line with
                | Some (String s) -> decode_base64 s
                | _ -> ( match List.assoc_opt "certificate" line with Some (String s) -> s | _ -> reject "The line has no document.")
              in
              answer (check_batch data (Document.within None (String.length content) content))
          with Rejected s -> refuse s)
        | _ -> refuse "The line is no object."
    done
  with End_of_file -> ()

let rec parse (layout : Text.layout) max_bytes json positional = function
  | [] -> (layout, max_bytes, json, List.rev positional)
  | "--format" :: f :: rest ->
    if not (List.mem f [ "auto"; "libsvm"; "csv" ]) then raise (Usage (Printf.sprintf "there is no format %s" f));
    parse { layout with format = f } max_bytes json positional rest
  | "--label-column" :: c :: rest -> parse { layout with label_column = Some c } max_bytes json positional rest
  | "--delimiter" :: d :: rest -> parse { layout with delimiter = Some d } max_bytes json positional rest
  | "--zero-based" :: rest -> parse { layout with zero_based = true } max_bytes json positional rest
  | "--max-bytes" :: n :: rest -> (
    match int_of_string_opt n with Some n -> parse layout (Some n) json positional rest | None -> raise (Usage "--max-bytes takes a number"))
  | "--json" :: rest -> parse layout max_bytes true positional rest
  | "--expect" :: _ -> raise (Usage "this program compares no expectations: read the sentence that it proves")
  | option :: _ when String.length option > 1 && option.[0] = '-' -> raise (Usage (Printf.sprintf "unknown option %s" option))
  | argument :: rest -> parse layout max_bytes json (argument :: positional) rest

let () =
  let layout = { Text.format = "auto"; label_column = None; delimiter = None; zero_based = false; single = false } in
  let code =
    try
      match List.tl (Array.to_list Sys.argv) with
      | [ "--batch" ] -> batch (); 0
      | [ "--help" ] | [ "-h" ] -> print_endline usage; 0
      | arguments -> (
        match parse layout None false [] arguments with
        | layout, max_bytes, json, [ certificate; data ] -> run_files certificate data layout max_bytes json
        | _ -> raise (Usage "a certificate and a data file are needed"))
    with
    | Usage s -> Printf.eprintf "%s\nerror: %s\n" usage s; 1
    | Text.Unreadable s | Sys_error s -> Printf.eprintf "error: %s\n" s; 1
    | Out_of_memory | Stack_overflow -> prerr_endline "error: there is not enough memory for this check"; 1
  in
  exit code
