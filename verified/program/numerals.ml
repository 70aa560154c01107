(* Numbers: the reals and integers of a certificate, decimals of a data file, and how a sentence writes them. *)

exception Rejected of string

let reject fmt = Printf.ksprintf (fun s -> raise (Rejected s)) fmt

let shown (v : Json.t) =
  let cut s = if String.length s <= 40 then s else String.sub s 0 37 ^ "..." in
  match v with
  | String s -> cut ("'" ^ s ^ "'") | Int i -> string_of_int i | Bool true -> "True" | Bool false -> "False" | Null -> "None"
  | Object _ -> "dict" | List _ -> "list"

(* ---- Reals: binary64 numbers in the one form of section 2 ---- *)
let hex_of_float v =
  let bits = Int64.bits_of_float v in
  let sign = if Int64.compare bits 0L < 0 then "-" else "" in
  let e = Int64.to_int (Int64.shift_right_logical bits 52) land 0x7ff in
  let m = Int64.to_int (Int64.logand bits 0xfffffffffffffL) in
  if e = 0 && m = 0 then sign ^ "0x0.0p+0"
  else if e = 0 then Printf.sprintf "%s0x0.%013xp-1022" sign m
  else Printf.sprintf "%s0x1.%013xp%+d" sign m (e - 1023)

let real_of_text s =
  let n = String.length s in
  let looks = n >= 8 && n <= 26 && String.for_all (function '0' .. '9' | 'a' .. 'f' | 'x' | 'p' | '.' | '+' | '-' -> true | _ -> false) s in
  match if looks then float_of_string_opt s else None with
  | Some v when Float.is_finite v && s <> "-0x0.0p+0" && hex_of_float v = s -> Some v
  | _ -> None

let real name (v : Json.t) =
  match v with
  | String s -> (
    match real_of_text s with
    | Some r -> r
    | None -> reject "%s must be a hexadecimal real such as 0x1.8000000000000p+0; got %s." name (shown v))
  | _ -> reject "%s must be a hexadecimal real such as 0x1.8000000000000p+0; got %s." name (shown v)

let integer name (v : Json.t) =
  let fine s =
    let n = String.length s in
    let start = if n > 0 && s.[0] = '-' then 1 else 0 in
    let digits = n - start - 2 in
    digits >= 1 && digits <= 65536 && s.[start] = '0' && s.[start + 1] = 'x'
    && (s.[start + 2] <> '0' || s = "0x0")
    && (let ok = ref true in
        for i = start + 2 to n - 1 do (match s.[i] with '0' .. '9' | 'a' .. 'f' -> () | _ -> ok := false) done;
        !ok)
  in
  match v with
  | String s when fine s -> Z.of_string s
  | _ -> reject "%s must be a hexadecimal integer such as -0x1f; got %s." name (shown v)

(* A finite float as an odd integer (or 0) and a power of two. *)
let split v =
  let bits = Int64.bits_of_float v in
  let e = Int64.to_int (Int64.shift_right_logical bits 52) land 0x7ff in
  let m = Int64.to_int (Int64.logand bits 0xfffffffffffffL) in
  let m, e = if e = 0 then (m, -1074) else (m lor (1 lsl 52), e - 1075) in
  if m = 0 then (0, 0)
  else begin
    let m = ref m and e = ref e in
    while !m land 0xff = 0 do m := !m lsr 8; e := !e + 8 done;
    while !m land 1 = 0 do m := !m lsr 1; incr e done;
    ((if v < 0.0 then - !m else !m), !e)
  end

let dyadic v : Core.dy = let m, e = split v in { man = Z.of_int m; ex = Z.of_int e }

(* m 2^shift *)
let shifted m shift =
  if shift = 0 then Z.of_int m
  else if shift < 10 && abs m < 1 lsl 52 then Z.of_int (m lsl shift)
  else Z.shift_left (Z.of_int m) shift

(* ---- Fields ---- *)
let fields (v : Json.t) name (names : string list) =
  match v with
  | Object given when List.length given = List.length names && List.for_all (fun n -> List.mem_assoc n given) names ->
    List.map (fun n -> List.assoc n given) names
  | _ -> reject "The field %s must have exactly %s." name (String.concat ", " names)

let word (v : Json.t) name allowed =
  match v with
  | String s when List.mem s allowed -> s
  | _ -> reject "%s must be one of %s; got %s." name (String.concat ", " allowed) (shown v)

let count (v : Json.t) name =
  match v with Int i -> i | _ -> reject "%s must be an integer from 0 to 2^53 - 1; got %s." name (shown v)

(* The entries other than zero of a vector: their places, increasing, and their values. *)
let vector (v : Json.t) name length (number : string -> Json.t -> 'a) (is_zero : 'a -> bool) : int array * 'a array =
  let dense = match v with Object given -> not (List.mem_assoc "indices" given) | _ -> false in
  let parts = fields v name (if dense then [ "length"; "values" ] else [ "length"; "values"; "indices" ]) in
  let size = count (List.nth parts 0) ("The length of " ^ name) in
  if size <> length then reject "%s must have length %d; got %d." name length size;
  let texts = match List.nth parts 1 with List a -> a | _ -> reject "%s must have a list of values, and as many places as values." name in
  let known = Hashtbl.create 64 in
  let read (t : Json.t) =
    match t with
    | String s -> (
      match Hashtbl.find_opt known s with
      | Some r -> r
      | None -> let r = number name t in if Hashtbl.length known < 65536 then Hashtbl.add known s r; r)
    | _ -> reject "The values of %s must be texts, and its indices integers." name
  in
  if dense then begin
    if Array.length texts <> length then reject "%s must have a list of values, and as many places as values." name;
    let values = Array.map read texts in
    let places = Array.of_list (List.filter (fun i -> not (is_zero values.(i))) (List.init (Array.length values) Fun.id)) in
    (places, Array.map (fun i -> values.(i)) places)
  end else begin
    let places = match List.nth parts 2 with List a -> a | _ -> reject "%s must have a list of values, and as many places as values." name in
    if Array.length places <> Array.length texts then reject "%s must have a list of values, and as many places as values." name;
    let places = Array.map (function Json.Int i -> i | _ -> reject "The values of %s must be texts, and its indices integers." name) places in
    Array.iteri
      (fun i p -> if p >= length || (i > 0 && places.(i - 1) >= p) then reject "The indices of %s must increase and lie below %d." name length)
      places;
    let values = Array.map read texts in
    if Array.exists is_zero values then reject "%s has a zero among the values of its indices." name;
    (places, values)
  end

let reals v name length = vector v name length real (fun r -> r = 0.0)
let integers v name length = vector v name length integer (fun z -> Z.sign z = 0)

let weights v name length =
  let places, values = integers v name length in
  if Array.length values = 0 || Array.exists (fun z -> Z.sign z <= 0) values then
    reject "The values of %s must not be negative, and one must be positive." name;
  (places, values)

(* ---- Decimals in a sentence ---- *)
let layout negative (digits : string) exponent =
  (* digits d.ddd times 10^exponent, no trailing zeros *)
  let n = String.length digits in
  let sign = if negative then "-" else "" in
  if exponent >= -4 && exponent < 16 then
    if exponent < 0 then sign ^ "0." ^ String.make (-exponent - 1) '0' ^ digits
    else if n <= exponent + 1 then sign ^ digits ^ String.make (exponent + 1 - n) '0'
    else sign ^ String.sub digits 0 (exponent + 1) ^ "." ^ String.sub digits (exponent + 1) (n - exponent - 1)
  else
    sign ^ String.sub digits 0 1 ^ (if n > 1 then "." ^ String.sub digits 1 (n - 1) else "") ^ "e" ^ string_of_int exponent

let strip digits =
  let n = ref (String.length digits) in
  while !n > 1 && digits.[!n - 1] = '0' do decr n done;
  String.sub digits 0 !n

(* A float in the fewest digits that read back as the same number, of these the nearest. *)
let value v =
  if v = 0.0 then "0"
  else if not (Float.is_finite v) then Float.to_string v
  else begin
    let a = Float.abs v in
    let rec go n =
      let s = Printf.sprintf "%.*e" (n - 1) a in
      let at = String.index s 'e' in
      let digits = String.concat "" (String.split_on_char '.' (String.sub s 0 at)) in
      let e = int_of_string (let t = String.sub s (at + 1) (String.length s - at - 1) in if t.[0] = '+' then String.sub t 1 (String.length t - 1) else t) in
      let d = int_of_string digits in
      let same d = float_of_string (Printf.sprintf "%de%d" d (e - n + 1)) = a in
      match List.find_opt same [ d; d + 1; d - 1 ] with
      | Some found -> let t = string_of_int found in layout (v < 0.0) (strip t) (e + String.length t - n)
      | None -> go (n + 1)
    in
    go 1
  end

(* The fraction num / den, den > 0, in so many digits, rounded up or down. *)
let rounded num den up digits =
  if Z.sign num = 0 then "0"
  else begin
    let negative = Z.sign num < 0 in
    let a = Z.abs num in
    let away = up <> negative in
    let ten k = Z.pow (Z.of_int 10) k in
    (* the exponent e with 10^e <= a / den < 10^(e + 1) *)
    let e = ref (int_of_float (Float.floor (float_of_int (Z.numbits a - Z.numbits den) *. 0.30102999566))) in
    let at_least k = if k >= 0 then Z.geq a (Z.mul den (ten k)) else Z.geq (Z.mul a (ten (-k))) den in
    while not (at_least !e) do decr e done;
    while at_least (!e + 1) do incr e done;
    let shift = digits - 1 - !e in
    let n, d = if shift >= 0 then (Z.mul a (ten shift), den) else (a, Z.mul den (ten (-shift))) in
    let q = if away then Z.cdiv n d else Z.fdiv n d in
    let text = Z.to_string q in
    layout negative (strip text) (!e + String.length text - digits)
  end
