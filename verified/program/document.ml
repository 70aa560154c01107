(* A certificate as a document: JSON within budgets, and a digest against accidents (section 1 of the format). *)
open Numerals

let text_bytes = 1 lsl 24
let expansion = 32
let most_parts = 10_000
let names = [ "format"; "version"; "kind"; "claim"; "data"; "problem"; "proof" ]

let digest_of body =
  let sha = Sha256.create () in
  Json.write (Sha256.add_string sha) (Object body);
  Sha256.hex (Sha256.finish sha)

(* The fields of the document, once its outer form and its digest are found right. *)
let parse content =
  let parts = ref 0 in
  String.iter (function '[' | '{' | ':' -> incr parts | _ -> ()) content;
  if !parts > most_parts then reject "A certificate has at most %d lists, objects and fields." most_parts;
  let document = try Json.parse content with Json.Malformed s -> reject "The certificate is not a JSON document: %s." s in
  let given = match document with Object f -> f | _ -> [] in
  if List.assoc_opt "format" given <> Some (String "separatrix-certificate") then
    reject "Not a certificate: the field format must be 'separatrix-certificate'.";
  (match List.assoc_opt "version" given with
   | Some (Int 2) -> ()
   | v ->
     reject
       "This checker knows version 2 of the format; the certificate has version %s. A new one is made by fitting again, or by: separatrix audit MODEL DATA --certificate FILE"
       (shown (Option.value ~default:Json.Null v)));
  ignore (fields document "certificate" (names @ [ "digest" ]));
  let body = List.filter (fun (name, _) -> name <> "digest") given in
  if List.assoc "digest" given <> String (digest_of body) then reject "The certificate was changed: its content differs from its digest.";
  body

let unpack limit content =
  if String.length content >= 2 && content.[0] = '\x1f' && content.[1] = '\x8b' then
    match Inflate.gunzip ~limit ~members:false content with
    | Some text -> Some text
    | None -> None
    | exception Inflate.Broken s -> reject "The compressed certificate cannot be read: %s." s
  else if String.length content > limit then None
  else Some content

let within max_bytes size content =
  let limit = match max_bytes with Some m -> m | None -> max text_bytes (expansion * size) in
  match unpack limit content with
  | Some text -> parse text
  | None -> reject "The certificate is larger than the budget of %d bytes; max_bytes (--max-bytes) sets another." limit

let load path max_bytes =
  let channel = open_in_bin path in
  let content = Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel)) in
  within max_bytes (String.length content) content
