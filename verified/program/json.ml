(* JSON as a certificate writes it: objects without a field twice, counts below 2^53, whole characters. *)

exception Malformed of string

type t = Object of (string * t) list | List of t array | String of string | Int of int | Bool of bool | Null

let fail s = raise (Malformed s)
let deepest = 200

(* The character at byte i and its length, or (-1, 1) where there is none. *)
let character s i =
  let n = String.length s in
  let tail j = if i + j < n then let c = Char.code s.[i + j] in if c land 0xc0 = 0x80 then c land 0x3f else -1 else -1 in
  let c = Char.code s.[i] in
  if c < 0x80 then (c, 1)
  else if c < 0xc2 then (-1, 1)
  else if c < 0xe0 then let a = tail 1 in if a < 0 then (-1, 1) else (((c land 0x1f) lsl 6) lor a, 2)
  else if c < 0xf0 then
    let a = tail 1 and b = tail 2 in
    let u = ((c land 0xf) lsl 12) lor (a lsl 6) lor b in
    if a < 0 || b < 0 || u < 0x800 || (u >= 0xd800 && u < 0xe000) then (-1, 1) else (u, 3)
  else if c < 0xf5 then
    let a = tail 1 and b = tail 2 and e = tail 3 in
    let u = ((c land 7) lsl 18) lor (a lsl 12) lor (b lsl 6) lor e in
    if a < 0 || b < 0 || e < 0 || u < 0x10000 || u > 0x10ffff then (-1, 1) else (u, 4)
  else (-1, 1)

(* True if these are the bytes of UTF-8 text, with no surrogate. *)
let is_utf8 s =
  let n = String.length s in
  let rec go i =
    i >= n
    ||
    let c = Char.code (String.unsafe_get s i) in
    if c < 0x80 then go (i + 1)
    else
      let u, length = character s i in
      u >= 0 && go (i + length)
  in
  go 0

let parse (s : string) : t =
  if not (is_utf8 s) then fail "it is not UTF-8";
  let n = String.length s and i = ref 0 in
  let peek () = if !i < n then String.unsafe_get s !i else '\000' in
  let rec blanks () = match peek () with ' ' | '\t' | '\n' | '\r' when !i < n -> incr i; blanks () | _ -> () in
  let expect c = if !i < n && s.[!i] = c then incr i else fail (Printf.sprintf "expected %C at byte %d" c !i) in
  let hex4 () =
    if !i + 4 > n then fail "an escape is cut off";
    let v = ref 0 in
    for _ = 1 to 4 do
      (v := (!v * 16) + match s.[!i] with
        | '0' .. '9' as c -> Char.code c - 48
        | 'a' .. 'f' as c -> Char.code c - 87
        | 'A' .. 'F' as c -> Char.code c - 55
        | _ -> fail "an escape is not hexadecimal");
      incr i
    done;
    !v
  in
  let text () =
    expect '"';
    let start = !i in
    while !i < n && (match String.unsafe_get s !i with '"' | '\\' -> false | c -> c >= ' ') do incr i done;
    if !i < n && s.[!i] = '"' then begin incr i; String.sub s start (!i - 1 - start) end
    else begin
      let out = Buffer.create 64 in
      Buffer.add_string out (String.sub s start (!i - start));
      let add u = if Uchar.is_valid u then Buffer.add_utf_8_uchar out (Uchar.of_int u) else fail "half of a character" in
      let rec go () =
        if !i >= n then fail "a text has no end";
        let c = s.[!i] in
        incr i;
        if c = '"' then ()
        else if c < ' ' then fail "a control character in a text"
        else if c <> '\\' then begin Buffer.add_char out c; go () end
        else begin
          let e = peek () in
          if !i >= n then fail "a text has no end";
          incr i;
          (match e with
           | '"' | '\\' | '/' -> Buffer.add_char out e
           | 'n' -> Buffer.add_char out '\n' | 'r' -> Buffer.add_char out '\r' | 't' -> Buffer.add_char out '\t'
           | 'b' -> Buffer.add_char out '\b' | 'f' -> Buffer.add_char out '\012'
           | 'u' ->
             let u = hex4 () in
             if u >= 0xd800 && u < 0xdc00 && !i + 1 < n && s.[!i] = '\\' && s.[!i + 1] = 'u' then begin
               i := !i + 2;
               let v = hex4 () in
               if v >= 0xdc00 && v < 0xe000 then add (0x10000 + ((u - 0xd800) lsl 10) + (v - 0xdc00)) else fail "half of a character"
             end else add u
           | _ -> fail "an escape is unknown");
          go ()
        end
      in
      go (); Buffer.contents out
    end
  in
  let word w v = if !i + String.length w <= n && String.sub s !i (String.length w) = w then begin i := !i + String.length w; v end else fail "a word is unknown" in
  let number () =
    let start = !i in
    while !i < n && (match s.[!i] with '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> true | _ -> false) do incr i done;
    let token = String.sub s start (!i - start) in
    if String.length token > 16 || String.exists (fun c -> c < '0' || c > '9') token || (token.[0] = '0' && String.length token > 1)
    then fail "a number is not an integer from 0 to 2^53 - 1";
    let v = int_of_string token in
    if v >= 1 lsl 53 then fail "a number is not an integer from 0 to 2^53 - 1";
    Int v
  in
  let rec value depth =
    if depth > deepest then fail "it is nested too deeply";
    blanks ();
    if !i >= n then fail "it has no end";
    match s.[!i] with
    | '{' ->
      incr i; blanks ();
      if peek () = '}' && !i < n then begin incr i; Object [] end
      else begin
        let seen = Hashtbl.create 8 in
        let rec go acc =
          blanks ();
          let name = text () in
          if Hashtbl.mem seen name then fail "it names a field twice";
          Hashtbl.add seen name ();
          blanks (); expect ':';
          let v = value (depth + 1) in
          blanks ();
          if peek () = ',' && !i < n then begin incr i; go ((name, v) :: acc) end
          else begin expect '}'; List.rev ((name, v) :: acc) end
        in
        Object (go [])
      end
    | '[' ->
      incr i; blanks ();
      if peek () = ']' && !i < n then begin incr i; List [||] end
      else begin
        let rec go acc =
          let v = value (depth + 1) in
          blanks ();
          if peek () = ',' && !i < n then begin incr i; go (v :: acc) end
          else begin expect ']'; Array.of_list (List.rev (v :: acc)) end
        in
        List (go [])
      end
    | '"' -> String (text ())
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | 'n' -> word "null" Null
    | '0' .. '9' -> number ()
    | _ -> fail (Printf.sprintf "byte %d begins no value" !i)
  in
  let v = value 0 in
  blanks ();
  if !i < n then fail "it has something behind its end";
  v

(* ---- The canonical form: keys sorted, no spaces, ASCII ---- *)
let quoted s =
  let out = Buffer.create (String.length s + 2) in
  Buffer.add_char out '"';
  let n = String.length s in
  let rec go i =
    if i < n then begin
      let c = s.[i] in
      (match c with
       | '"' -> Buffer.add_string out "\\\"" | '\\' -> Buffer.add_string out "\\\\" | '\n' -> Buffer.add_string out "\\n"
       | '\r' -> Buffer.add_string out "\\r" | '\t' -> Buffer.add_string out "\\t" | '\b' -> Buffer.add_string out "\\b"
       | '\012' -> Buffer.add_string out "\\f"
       | ' ' .. '~' -> Buffer.add_char out c
       | c when c < '\x80' -> Buffer.add_string out (Printf.sprintf "\\u%04x" (Char.code c))
       | _ -> ());
      if c < '\x80' then go (i + 1)
      else begin
        let u, length = character s i in
        if u < 0x10000 then Buffer.add_string out (Printf.sprintf "\\u%04x" u)
        else begin
          let u = u - 0x10000 in
          Buffer.add_string out (Printf.sprintf "\\u%04x\\u%04x" (0xd800 + (u lsr 10)) (0xdc00 + (u land 0x3ff)))
        end;
        go (i + length)
      end
    end
  in
  go 0;
  Buffer.add_char out '"';
  Buffer.contents out

let rec write put = function
  | Object fields ->
    put "{";
    List.iteri
      (fun i (name, v) -> if i > 0 then put ","; put (quoted name); put ":"; write put v)
      (List.sort (fun (a, _) (b, _) -> compare a b) fields);
    put "}"
  | List items -> put "["; Array.iteri (fun i v -> if i > 0 then put ","; write put v) items; put "]"
  | String s -> put (quoted s)
  | Int i -> put (string_of_int i)
  | Bool b -> put (if b then "true" else "false")
  | Null -> put "null"
