(* One pass over labelled rows: fingerprints, labels, which rows take part; and rows as the proved checks want them. *)
open Numerals

let block_rows = 4096

(* ---- Labels ---- *)
let number_text v = if Float.is_integer v then Z.to_string (Z.of_float v) else hex_of_float v

let strip s =
  let n = String.length s in
  let a = ref 0 and b = ref n in
  while !a < !b && (s.[!a] = ' ' || s.[!a] = '\t') do incr a done;
  while !b > !a && (s.[!b - 1] = ' ' || s.[!b - 1] = '\t') do decr b done;
  String.sub s !a (!b - !a)

let parse_label token kind =
  if kind = "text" then token
  else begin
    let w = strip token in
    match String.lowercase_ascii w with
    | "true" -> "1"
    | "false" -> "0"
    | _ ->
      let v = Text.decimal w 0 (String.length w) in
      if Float.is_nan v || String.length w > 1000 then reject "The certificate has numbers for labels; the data have %s." (Text.shown token);
      if !Text.plain_digits then Z.to_string (Z.of_string (if w.[0] = '+' then String.sub w 1 (String.length w - 1) else w))
      else if Float.is_finite v then number_text v
      else reject "Labels must be finite numbers; the data have %s." (Text.shown token)
  end

let named_label kind (v : Json.t) =
  match v with
  | String s ->
    let whole =
      let n = String.length s in
      let start = if n > 0 && s.[0] = '-' then 1 else 0 in
      n <= 1000 && n > start && (s = "0" || (s.[start] <> '0' && (let ok = ref true in
        String.iteri (fun i c -> if i >= start && (c < '0' || c > '9') then ok := false) s; !ok)))
    in
    if kind = "number" && (not whole) && Float.is_integer (real "A label" v) then reject "The label %s is written as the integer that it is." s;
    s
  | _ -> reject "A label is a text of whole characters; got %s." (shown v)

(* ---- Fingerprints ---- *)
type marks = {
  d : int; digests : Buffer.t; mutable counts : int array; columns : Buffer.t; values : Buffer.t; mutable rows : int; mutable n : int;
  mutable wide : bool; kind : string; classes : (string, int) Hashtbl.t; mutable names : string list; codes : Buffer.t }

let marks d kind =
  { d; digests = Buffer.create 64; counts = Array.make block_rows 0; columns = Buffer.create 65536; values = Buffer.create 65536; rows = 0; n = 0;
    wide = false; kind; classes = Hashtbl.create 16; names = []; codes = Buffer.create 65536 }

let close_block m =
  if m.rows > 0 && not m.wide then begin
    let sha = Sha256.create () in
    let k = Buffer.length m.values / 8 in
    if 3 * k <= m.rows * m.d then begin
      let head = Bytes.create (4 * m.rows) in
      for i = 0 to m.rows - 1 do Bytes.set_int32_le head (4 * i) (Int32.of_int m.counts.(i)) done;
      Sha256.add_string sha "S";
      Sha256.add_bytes sha head 0 (Bytes.length head);
      Sha256.add_string sha (Buffer.contents m.columns);
      Sha256.add_string sha (Buffer.contents m.values)
    end else begin
      Sha256.add_string sha "D";
      let columns = Buffer.to_bytes m.columns and values = Buffer.to_bytes m.values and at = ref 0 in
      let row = Bytes.create (8 * m.d) in
      for i = 0 to m.rows - 1 do
        Bytes.fill row 0 (8 * m.d) '\000';
        for e = !at to !at + m.counts.(i) - 1 do
          Bytes.blit values (8 * e) row (8 * (Int32.to_int (Bytes.get_int32_le columns (4 * e)) land 0xffffffff)) 8
        done;
        at := !at + m.counts.(i);
        Sha256.add_bytes sha row 0 (8 * m.d)
      done
    end;
    Buffer.add_string m.digests (Sha256.finish sha)
  end;
  m.rows <- 0; Buffer.clear m.columns; Buffer.clear m.values

let mark m label (b : Text.buffer) =
  let count = ref 0 in
  for i = 0 to b.length - 1 do
    let v = Array.unsafe_get b.values i in
    if v <> 0.0 then begin
      let c = Array.unsafe_get b.columns i in
      if c >= m.d then m.wide <- true;
      Buffer.add_int32_le m.columns (Int32.of_int c);
      Buffer.add_int64_le m.values (Int64.bits_of_float v);
      incr count
    end
  done;
  m.counts.(m.rows) <- !count;
  m.rows <- m.rows + 1; m.n <- m.n + 1;
  if m.rows = block_rows then close_block m;
  let code =
    match Hashtbl.find_opt m.classes label with
    | Some c -> c
    | None -> let c = Hashtbl.length m.classes in Hashtbl.add m.classes label c; m.names <- label :: m.names; c
  in
  Buffer.add_int32_le m.codes (Int32.of_int code)

let int64 v = let b = Bytes.create 8 in Bytes.set_int64_le b 0 (Int64.of_int v); Bytes.to_string b

let fingerprint_x m =
  close_block m;
  let sha = Sha256.create () in
  List.iter (Sha256.add_string sha) [ "separatrix X 1\n"; int64 m.n; int64 m.d; Buffer.contents m.digests ];
  Sha256.hex (Sha256.finish sha)

let fingerprint_y m =
  let sha = Sha256.create () in
  let names = List.rev m.names in
  List.iter (Sha256.add_string sha) [ "separatrix y 1\n"; m.kind; "\n"; int64 (List.length names); int64 m.n ];
  List.iter (fun s -> Sha256.add_string sha (int64 (String.length s)); Sha256.add_string sha s) names;
  Sha256.add_string sha (Buffer.contents m.codes);
  Sha256.hex (Sha256.finish sha)

(* ---- Rows as integers times one power of two, zeros left out ---- *)
let scratch_m = ref (Array.make 64 0)
let scratch_e = ref (Array.make 64 0)

let entries (b : Text.buffer) : Z.t * Core.entries =
  let n = b.length in
  if Array.length !scratch_m < n then begin scratch_m := Array.make (2 * n) 0; scratch_e := Array.make (2 * n) 0 end;
  let ms = !scratch_m and es = !scratch_e in
  let least = ref max_int in
  for i = 0 to n - 1 do
    let v = Array.unsafe_get b.values i in
    if v = 0.0 then Array.unsafe_set ms i 0
    else begin
      let t = int_of_float v in
      let m, e = if Float.abs v < 1e9 && float_of_int t = v then (t, 0) else split v in
      Array.unsafe_set ms i m; Array.unsafe_set es i e;
      if e < !least then least := e
    end
  done;
  let least = if !least = max_int then 0 else !least in
  let out = ref [] in
  for i = n - 1 downto 0 do
    let m = Array.unsafe_get ms i in
    if m <> 0 then out := (Z.of_int (Array.unsafe_get b.columns i), shifted m (Array.unsafe_get es i - least)) :: !out
  done;
  (Z.of_int least, !out)

(* ---- Vectors of a certificate, read along the rows ---- *)
type 'a cursor = { places : int array; along : 'a array; mutable at : int }

let cursor (places, along) = { places; along; at = 0 }

(* The value at a place, if it has one; places are asked for in increasing order. *)
let value_at c place =
  if c.at < Array.length c.places && Array.unsafe_get c.places c.at = place then begin
    let v = Array.unsafe_get c.along c.at in
    c.at <- c.at + 1; Some v
  end else None

(* Floats as integers times one power of two. *)
let common (values : float array) : Z.t array * int =
  let parts = Array.map split values in
  let least = Array.fold_left (fun acc (m, e) -> if m = 0 then acc else min acc e) max_int parts in
  let least = if least = max_int then 0 else least in
  (Array.map (fun (m, e) -> if m = 0 then Z.zero else shifted m (e - least)) parts, least)

(* Integers at places below size, as a function. *)
let lookup size (places : int array) (values : Z.t array) : Z.t -> Z.t =
  if size <= 1 lsl 24 then begin
    let table = Array.make size Z.zero in
    Array.iteri (fun i p -> table.(p) <- values.(i)) places;
    fun j -> let j = Z.to_int j in if j >= 0 && j < size then Array.unsafe_get table j else Z.zero
  end else begin
    let table = Hashtbl.create (Array.length places) in
    Array.iteri (fun i p -> Hashtbl.replace table p values.(i)) places;
    fun j -> match Hashtbl.find_opt table (Z.to_int j) with Some v -> v | None -> Z.zero
  end

let rec nat n : Core.nat = if n <= 0 then O else S (nat (n - 1))
let height size = let rec go h = if 1 lsl h >= size then h else go (h + 1) in nat (go 0)
