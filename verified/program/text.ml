(* Labelled data in text, row by row: LIBSVM and CSV, plain or compressed. *)

exception Unreadable of string
exception Zero_index

let fail fmt = Printf.ksprintf (fun s -> raise (Unreadable s)) fmt

type layout = { format : string; label_column : string option; delimiter : string option; zero_based : bool; single : bool }

(* What a pass over a file finds besides its rows. *)
type found = { mutable rounded : bool; mutable widest : int }

(* One row: the first `length` of columns and values. *)
type buffer = { mutable columns : int array; mutable values : float array; mutable length : int }

let buffer () = { columns = Array.make 64 0; values = Array.make 64 0.0; length = 0 }

let push b column value =
  if b.length = Array.length b.columns then begin
    b.columns <- Array.append b.columns b.columns;
    b.values <- Array.append b.values b.values
  end;
  Array.unsafe_set b.columns b.length column;
  Array.unsafe_set b.values b.length value;
  b.length <- b.length + 1

let suffixes path =
  let rec go name acc = match Filename.extension name with "" -> acc | e -> go (Filename.chop_extension name) (String.lowercase_ascii e :: acc) in
  go (Filename.basename path) []

let packed = [ ".gz"; ".bz2"; ".xz" ]

let last_suffix path = match List.rev (suffixes path) with [] -> "" | e :: _ -> e

(* The suffix that tells the format, beneath one that tells the compression. *)
let suffix path =
  let rec go = function e :: rest when List.mem e packed -> go rest | e :: _ -> e | [] -> "" in
  go (List.rev (suffixes path))

(* ---- A stream of bytes with one buffer ---- *)
type source = { fill : Bytes.t -> int -> int -> int; bytes : Bytes.t; mutable at : int; mutable stop : int; close : unit -> unit }

let size = 1 lsl 16

let source_of fill close = { fill; bytes = Bytes.create size; at = 0; stop = 0; close }

let open_source path =
  let of_channel channel close = source_of (input channel) close in
  let s =
    match last_suffix path with
    | ".gz" ->
      let channel = open_in_bin path in
      let s = really_input_string channel (in_channel_length channel) in
      close_in channel;
      let text = match Inflate.gunzip ~members:true s with Some t -> t | None -> "" | exception Inflate.Broken e -> fail "%s cannot be read: %s." path e in
      let at = ref 0 in
      source_of
        (fun b off len -> let n = min len (String.length text - !at) in Bytes.blit_string text !at b off n; at := !at + n; n)
        (fun () -> ())
    | (".bz2" | ".xz") as e ->
      let tool = if e = ".xz" then "xz" else "bzip2" in
      close_in (open_in_bin path);
      let channel = Unix.open_process_args_in tool [| tool; "-dc"; "--"; path |] in
      of_channel channel (fun () ->
          match Unix.close_process_in channel with
          | Unix.WEXITED 0 -> ()
          | _ -> fail "%s cannot be read: %s -dc did not succeed." path tool)
    | _ -> let channel = open_in_bin path in of_channel channel (fun () -> close_in channel)
  in
  s.stop <- s.fill s.bytes 0 size;
  (* a byte order mark is no part of the text *)
  if s.stop >= 3 && Bytes.sub_string s.bytes 0 3 = "\xef\xbb\xbf" then s.at <- 3;
  s

(* The next byte, or -1 at the end. *)
let next s =
  if s.at < s.stop then begin let c = Char.code (Bytes.unsafe_get s.bytes s.at) in s.at <- s.at + 1; c end
  else begin
    s.stop <- s.fill s.bytes 0 size; s.at <- 0;
    if s.stop = 0 then -1 else begin s.at <- 1; Char.code (Bytes.unsafe_get s.bytes 0) end
  end

(* The next line without its end, or None; it is kept in the given buffer. *)
let read_line s line =
  Buffer.clear line;
  let rec go seen =
    if s.at >= s.stop then begin s.stop <- s.fill s.bytes 0 size; s.at <- 0 end;
    if s.stop = 0 then seen
    else begin
      match Bytes.index_from_opt s.bytes s.at '\n' with
      | Some i when i < s.stop -> Buffer.add_subbytes line s.bytes s.at (i - s.at); s.at <- i + 1; true
      | _ -> Buffer.add_subbytes line s.bytes s.at (s.stop - s.at); s.at <- s.stop; go true
    end
  in
  go false

(* ---- Decimal numbers ---- *)
let powers = Array.init 23 (fun k -> float_of_string (Printf.sprintf "1e%d" k))

(* Reads s[start, stop) as a decimal number: the nearest binary64 number; nan where it is none. The flag says whether it
   has a fraction or an exponent. Up to 2^53 with a power of ten up to 10^22 one division is exact rounding; all others
   are left to the C library. *)
let plain_digits = ref false

let decimal s start stop =
  let i = ref start in
  let negative = !i < stop && String.unsafe_get s !i = '-' in
  if !i < stop && (String.unsafe_get s !i = '-' || String.unsafe_get s !i = '+') then incr i;
  let mantissa = ref 0 and digits = ref 0 and any = ref 0 and point = ref 0 and dotted = ref false and going = ref true in
  while !going && !i < stop do
    let c = Char.code (String.unsafe_get s !i) - 48 in
    if c >= 0 && c <= 9 then begin
      incr any;
      if !mantissa > 0 || c > 0 then incr digits;
      if !digits <= 18 then mantissa := (!mantissa * 10) + c;
      if !dotted then incr point;
      incr i
    end
    else if c = -2 && not !dotted then begin dotted := true; incr i end
    else going := false
  done;
  let e = ref 0 and marked = ref false and fine = ref (!any > 0) in
  if !fine && !i < stop && (String.unsafe_get s !i = 'e' || String.unsafe_get s !i = 'E') then begin
    marked := true; incr i;
    let minus = !i < stop && String.unsafe_get s !i = '-' in
    if !i < stop && (String.unsafe_get s !i = '-' || String.unsafe_get s !i = '+') then incr i;
    if !i >= stop then fine := false;
    while !i < stop && String.unsafe_get s !i >= '0' && String.unsafe_get s !i <= '9' do
      if !e < 100000 then e := (!e * 10) + Char.code (String.unsafe_get s !i) - 48;
      incr i
    done;
    if minus then e := - !e
  end;
  plain_digits := not (!dotted || !marked);
  if (not !fine) || !i < stop then nan
  else begin
    let k = !e - !point in
    if !digits <= 18 && !mantissa <= 1 lsl 53 && k >= -22 && k <= 22 then begin
      let m = float_of_int !mantissa in
      let v = if k < 0 then m /. Array.unsafe_get powers (-k) else m *. Array.unsafe_get powers k in
      if negative then -.v else v
    end
    else float_of_string (String.sub s start (stop - start))
  end

let single v = Int32.float_of_bits (Int32.bits_of_float v)

let shown s = let s = if String.length s > 40 then String.sub s 0 40 else s in "'" ^ s ^ "'"

let number path (layout : layout) found where s start stop =
  let start = ref start and stop = ref stop in
  while !start < !stop && (s.[!start] = ' ' || s.[!start] = '\t') do incr start done;
  while !stop > !start && (s.[!stop - 1] = ' ' || s.[!stop - 1] = '\t') do decr stop done;
  let v = decimal s !start !stop in
  let near = if layout.single then single v else v in
  if not (Float.is_finite near) then fail "%s, %s: %s is not a finite decimal number." path (where ()) (shown (String.sub s !start (!stop - !start)));
  if not !plain_digits then found.rounded <- true
  else if Float.abs v >= (if layout.single then 16777216.0 else 9007199254740992.0) then begin
    let token = String.sub s !start (!stop - !start) in
    let token = if token.[0] = '+' then String.sub token 1 (String.length token - 1) else token in
    if not (Z.equal (Z.of_string token) (Z.of_float near)) then
      fail "%s, %s: %s is no number of %s precision." path (where ()) (if String.length token > 40 then String.sub token 0 40 else token)
        (if layout.single then "single" else "double")
  end;
  near

(* ---- LIBSVM ---- *)
let sort_row b where =
  let order = Array.init b.length Fun.id in
  Array.stable_sort (fun a c -> compare b.columns.(a) b.columns.(c)) order;
  let columns = Array.map (fun i -> b.columns.(i)) order and values = Array.map (fun i -> b.values.(i)) order in
  Array.iteri (fun i c -> if i > 0 && columns.(i - 1) = c then fail "%s: an index occurs twice." (where ())) columns;
  Array.blit columns 0 b.columns 0 b.length;
  Array.blit values 0 b.values 0 b.length

let blank c = c = ' ' || c = '\t' || c = '\r'

let read_libsvm path source (layout : layout) found row =
  let line = Buffer.create 4096 and b = buffer () and number_of_line = ref 0 in
  let base = if layout.zero_based then 0 else 1 in
  while read_line source line do
    incr number_of_line;
    let s = Buffer.contents line in
    let where () = Printf.sprintf "line %d" !number_of_line in
    let high = ref false in
    let stop = ref (String.length s) in
    for i = 0 to String.length s - 1 do if String.unsafe_get s i >= '\x80' then high := true done;
    if !high && not (Json.is_utf8 s) then fail "%s cannot be read: it is not UTF-8." path;
    (match String.index_opt s '#' with Some i -> stop := i | None -> ());
    let stop = !stop in
    let i = ref 0 in
    let skip () = while !i < stop && blank (String.unsafe_get s !i) do incr i done in
    let rest () = let from = !i in while !i < stop && not (blank (String.unsafe_get s !i)) do incr i done; from in
    skip ();
    if !i < stop then begin
      let from = rest () in
      let label = String.sub s from (!i - from) in
      b.length <- 0;
      let sorted = ref true and last = ref (-1) and first = ref true in
      skip ();
      while !i < stop do
        let from = rest () in
        if not (!first && !i - from >= 4 && String.sub s from 4 = "qid:") then begin
          let j = ref from and column = ref 0 in
          while !j < !i && String.unsafe_get s !j >= '0' && String.unsafe_get s !j <= '9' do
            column := (!column * 10) + Char.code (String.unsafe_get s !j) - 48; incr j
          done;
          if !j = from || !j - from > 10 || (!j < !i && s.[!j] <> ':') then
            fail "%s, %s: expected index:value with an index from 0 to 4294967295." path (where ());
          let v = number path layout found where s (min !i (!j + 1)) !i in
          if !column = 0 && not layout.zero_based then raise Zero_index;
          let c = !column - base in
          if c <= !last then sorted := false;
          last := c;
          push b c v
        end;
        first := false;
        skip ()
      done;
      if not !sorted then sort_row b (fun () -> path ^ ", " ^ where ());
      if b.length > 0 then found.widest <- max found.widest (b.columns.(b.length - 1) + 1);
      row label b
    end
  done

(* ---- CSV: the fields of each record, quoted as in RFC 4180 ---- *)
let records source delimiter record =
  let field = Buffer.create 64 and fields = ref [] and begun = ref false in
  let limit = 131072 in
  let add c = if Buffer.length field >= limit then fail "field larger than field limit (%d)" limit; Buffer.add_char field c in
  let close () = fields := Buffer.contents field :: !fields; Buffer.clear field in
  let finish () = if !begun then begin close (); record (List.rev !fields) end; fields := []; begun := false in
  (* states: 0 at the start of a field, 1 in one, 2 in a quoted one, 3 behind a quote in one *)
  let rec go state =
    let c = next source in
    if c < 0 then finish ()
    else begin
      let ch = Char.unsafe_chr c in
      let newline = ch = '\n' || ch = '\r' in
      match state with
      | 2 -> begun := true; if ch = '"' then go 3 else begin add ch; go 2 end
      | 3 when ch = '"' -> add '"'; go 2
      | _ ->
        if newline then begin finish (); go 0 end
        else if ch = delimiter then begin begun := true; close (); go 0 end
        else if state = 0 && ch = '"' then begin begun := true; go 2 end
        else begin begun := true; add ch; go 1 end
    end
  in
  go 0

let is_decimal s =
  let n = String.length s in
  let start = ref 0 and stop = ref n in
  while !start < !stop && (s.[!start] = ' ' || s.[!start] = '\t') do incr start done;
  while !stop > !start && (s.[!stop - 1] = ' ' || s.[!stop - 1] = '\t') do decr stop done;
  not (Float.is_nan (decimal s !start !stop))

let label_place (layout : layout) path first =
  let n = List.length first in
  let place =
    match layout.label_column with
    | None -> n - 1
    | Some name -> (
      match int_of_string_opt name with
      | Some p when String.for_all (function '0' .. '9' | '-' | '+' -> true | _ -> false) name -> p
      | _ -> (
        match List.find_opt (fun (_, f) -> f = name) (List.mapi (fun i f -> (i, f)) first) with
        | Some (i, _) -> i
        | None -> fail "%s has no column '%s'; its columns are %s." path name (String.concat ", " (List.filteri (fun i _ -> i < 20) first))))
  in
  if place < -n || place >= n then fail "%s has %d columns; there is no column %d." path n place;
  if place < 0 then place + n else place

let read_csv path source (layout : layout) found row =
  let delimiter =
    match layout.delimiter with
    | Some d when String.length d = 1 && d <> "\"" && d <> "\n" && d <> "\r" -> d.[0]
    | Some _ -> fail "%s cannot be read: the delimiter must be one character." path
    | None -> if suffix path = ".tsv" then '\t' else ','
  in
  let shape = ref None and number_of_record = ref 0 and b = buffer () in
  let use place width fields =
    incr number_of_record;
    let where () = Printf.sprintf "record %d" !number_of_record in
    let got = List.length fields in
    if got <> width then fail "%s, %s: expected %d fields; got %d." path (where ()) width got;
    b.length <- 0;
    let label = ref "" in
    List.iteri
      (fun k s ->
        if k = place then label := s
        else push b b.length (number path layout found where s 0 (String.length s)))
      fields;
    row !label b
  in
  records source delimiter (fun fields ->
      if not (List.for_all Json.is_utf8 fields) then fail "%s cannot be read: it is not UTF-8." path;
      match !shape with
      | Some (place, width) -> use place width fields
      | None ->
        let place = label_place layout path fields and width = List.length fields in
        shape := Some (place, width);
        found.widest <- width - 1;
        let header = not (List.for_all Fun.id (List.mapi (fun k f -> k = place || is_decimal f) fields)) in
        if header then incr number_of_record else use place width fields);
  if !shape = None then fail "%s is empty." path

(* Every row of a file in order; Zero_index where LIBSVM indices turn out to start at 0. *)
let read path (layout : layout) row =
  let found = { rounded = false; widest = 0 } in
  let csv = match layout.format with "auto" -> List.mem (suffix path) [ ".csv"; ".tsv" ] | f -> f = "csv" in
  let source = open_source path in
  (if csv then read_csv else read_libsvm) path source layout found row;
  source.close ();
  (found, csv)
