(* Gzip (RFC 1951 and 1952): the text of a compressed file, at most so many bytes, one member and nothing behind it. *)

exception Broken of string

let fail s = raise (Broken s)

let crc_table =
  lazy
    (Array.init 256 (fun n ->
         let c = ref n in
         for _ = 0 to 7 do c := if !c land 1 = 1 then 0xedb88320 lxor (!c lsr 1) else !c lsr 1 done;
         !c))

type reader = { s : string; mutable pos : int; mutable bits : int; mutable count : int }

let byte r =
  if r.pos >= String.length r.s then fail "it has no end";
  let c = Char.code r.s.[r.pos] in
  r.pos <- r.pos + 1; c

let need r n = while r.count < n do r.bits <- r.bits lor (byte r lsl r.count); r.count <- r.count + 8 done

let take r n =
  need r n;
  let v = r.bits land ((1 lsl n) - 1) in
  r.bits <- r.bits lsr n; r.count <- r.count - n; v

(* A canonical Huffman code: how many of each length, and the symbols in order. *)
let code lengths =
  let counts = Array.make 16 0 in
  Array.iter (fun l -> counts.(l) <- counts.(l) + 1) lengths;
  counts.(0) <- 0;
  let left = ref 1 in
  for l = 1 to 15 do
    left := (!left lsl 1) - counts.(l);
    if !left < 0 then fail "a code has too many words"
  done;
  let offsets = Array.make 16 0 in
  for l = 1 to 14 do offsets.(l + 1) <- offsets.(l) + counts.(l) done;
  let symbols = Array.make (Array.length lengths) 0 in
  Array.iteri (fun s l -> if l > 0 then begin symbols.(offsets.(l)) <- s; offsets.(l) <- offsets.(l) + 1 end) lengths;
  (counts, symbols)

let decode r (counts, symbols) =
  let rec go l c first index =
    if l > 15 then fail "a code word is unknown";
    let c = c lor take r 1 in
    let n = counts.(l) in
    if c - first < n then symbols.(index + c - first) else go (l + 1) ((c) lsl 1) ((first + n) lsl 1) (index + n)
  in
  go 1 0 0 0

let lengths_base = [| 3; 4; 5; 6; 7; 8; 9; 10; 11; 13; 15; 17; 19; 23; 27; 31; 35; 43; 51; 59; 67; 83; 99; 115; 131; 163; 195; 227; 258 |]
let lengths_extra = [| 0; 0; 0; 0; 0; 0; 0; 0; 1; 1; 1; 1; 2; 2; 2; 2; 3; 3; 3; 3; 4; 4; 4; 4; 5; 5; 5; 5; 0 |]
let distance_base =
  [| 1; 2; 3; 4; 5; 7; 9; 13; 17; 25; 33; 49; 65; 97; 129; 193; 257; 385; 513; 769; 1025; 1537; 2049; 3073; 4097; 6145; 8193; 12289; 16385; 24577 |]
let distance_extra = [| 0; 0; 0; 0; 1; 1; 2; 2; 3; 3; 4; 4; 5; 5; 6; 6; 7; 7; 8; 8; 9; 9; 10; 10; 11; 11; 12; 12; 13; 13 |]
let order = [| 16; 17; 18; 0; 8; 7; 9; 6; 10; 5; 11; 4; 12; 3; 13; 2; 14; 1; 15 |]

let fixed =
  lazy
    ( code (Array.init 288 (fun s -> if s < 144 then 8 else if s < 256 then 9 else if s < 280 then 7 else 8)),
      code (Array.make 30 5) )

let dynamic r =
  let literals = take r 5 + 257 in
  let distances = take r 5 + 1 in
  let n = take r 4 + 4 in
  if literals > 286 || distances > 30 then fail "a code is too large";
  let lengths = Array.make 19 0 in
  for i = 0 to n - 1 do lengths.(order.(i)) <- take r 3 done;
  let lencode = code lengths in
  let all = Array.make (literals + distances) 0 in
  let i = ref 0 in
  let repeat v times =
    if !i + times > Array.length all then fail "a code is too long";
    Array.fill all !i times v; i := !i + times
  in
  while !i < Array.length all do
    match decode r lencode with
    | 16 -> if !i = 0 then fail "a length is missing"; let v = all.(!i - 1) in repeat v (3 + take r 2)
    | 17 -> repeat 0 (3 + take r 3)
    | 18 -> repeat 0 (11 + take r 7)
    | l -> repeat l 1
  done;
  if all.(256) = 0 then fail "a block has no end";
  (code (Array.sub all 0 literals), code (Array.sub all literals distances))

exception Full

let block r out limit =
  let emit c = if Buffer.length out >= limit then raise Full; Buffer.add_char out c in
  let final = take r 1 = 1 in
  (match take r 2 with
   | 0 ->
     r.bits <- 0; r.count <- 0;
     let len = byte r in
     let len = len lor (byte r lsl 8) in
     let inv = byte r in
     let inv = inv lor (byte r lsl 8) in
     if len <> lnot inv land 0xffff then fail "a length is wrong";
     for _ = 1 to len do emit (Char.chr (byte r)) done
   | (1 | 2) as kind ->
     let literal, distance = if kind = 1 then Lazy.force fixed else dynamic r in
     let rec go () =
       let s = decode r literal in
       if s < 256 then begin emit (Char.chr s); go () end
       else if s > 256 then begin
         if s > 285 then fail "a length is unknown";
         let len = lengths_base.(s - 257) + take r lengths_extra.(s - 257) in
         let d = decode r distance in
         if d > 29 then fail "a distance is unknown";
         let back = distance_base.(d) + take r distance_extra.(d) in
         if back > Buffer.length out then fail "a distance is too far";
         for _ = 1 to len do emit (Buffer.nth out (Buffer.length out - back)) done;
         go ()
       end
     in
     go ()
   | _ -> fail "a block is of no known kind");
  final

let crc s =
  let table = Lazy.force crc_table in
  let c = ref 0xffffffff in
  String.iter (fun ch -> c := table.((!c lxor Char.code ch) land 0xff) lxor (!c lsr 8)) s;
  !c lxor 0xffffffff

(* The text, or None where it has more than limit bytes. *)
let gunzip ?(limit = max_int) ~members s =
  let out = Buffer.create (4 * String.length s) in
  let r = { s; pos = 0; bits = 0; count = 0 } in
  let member () =
    if byte r <> 0x1f || byte r <> 0x8b || byte r <> 8 then fail "it is not gzip";
    let flags = byte r in
    if flags land 0xe0 <> 0 then fail "its header is unknown";
    for _ = 1 to 6 do ignore (byte r) done;
    if flags land 4 <> 0 then begin
      let n = byte r in
      let n = n lor (byte r lsl 8) in
      for _ = 1 to n do ignore (byte r) done
    end;
    let skip () = while byte r <> 0 do () done in
    if flags land 8 <> 0 then skip ();
    if flags land 16 <> 0 then skip ();
    if flags land 2 <> 0 then begin
      let stored = crc (String.sub s 0 r.pos) land 0xffff in
      let low = byte r in
      if low lor (byte r lsl 8) <> stored then fail "its header is damaged"
    end;
    let start = Buffer.length out in
    while not (block r out limit) do () done;
    r.bits <- 0; r.count <- 0;
    let word () = let a = byte r in let b = byte r in let c = byte r in a lor (b lsl 8) lor (c lsl 16) lor (byte r lsl 24) in
    let text = Buffer.sub out start (Buffer.length out - start) in
    if word () <> crc text then fail "its checksum is wrong";
    if word () <> String.length text land 0xffffffff then fail "its length is wrong"
  in
  try
    member ();
    while members && r.pos < String.length s && s.[r.pos] = '\x1f' do member () done;
    if r.pos < String.length s then fail "it has something behind its end";
    Some (Buffer.contents out)
  with Full -> None
