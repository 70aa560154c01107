(* SHA-256, for digests and fingerprints. They find accidents; no theorem rests on them. *)

let k =
  [| 0x428a2f98; 0x71374491; 0xb5c0fbcf; 0xe9b5dba5; 0x3956c25b; 0x59f111f1; 0x923f82a4; 0xab1c5ed5; 0xd807aa98; 0x12835b01;
     0x243185be; 0x550c7dc3; 0x72be5d74; 0x80deb1fe; 0x9bdc06a7; 0xc19bf174; 0xe49b69c1; 0xefbe4786; 0x0fc19dc6; 0x240ca1cc;
     0x2de92c6f; 0x4a7484aa; 0x5cb0a9dc; 0x76f988da; 0x983e5152; 0xa831c66d; 0xb00327c8; 0xbf597fc7; 0xc6e00bf3; 0xd5a79147;
     0x06ca6351; 0x14292967; 0x27b70a85; 0x2e1b2138; 0x4d2c6dfc; 0x53380d13; 0x650a7354; 0x766a0abb; 0x81c2c92e; 0x92722c85;
     0xa2bfe8a1; 0xa81a664b; 0xc24b8b70; 0xc76c51a3; 0xd192e819; 0xd6990624; 0xf40e3585; 0x106aa070; 0x19a4c116; 0x1e376c08;
     0x2748774c; 0x34b0bcb5; 0x391c0cb3; 0x4ed8aa4a; 0x5b9cca4f; 0x682e6ff3; 0x748f82ee; 0x78a5636f; 0x84c87814; 0x8cc70208;
     0x90befffa; 0xa4506ceb; 0xbef9a3f7; 0xc67178f2 |]

type t = { h : int array; w : int array; block : Bytes.t; mutable filled : int; mutable total : int }

let create () =
  { h = [| 0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab; 0x5be0cd19 |];
    w = Array.make 64 0; block = Bytes.create 64; filled = 0; total = 0 }

let mask = 0xffffffff

(* A word beside itself, so that a rotation is a shift. *)
let twice x = x lor (x lsl 32)

let compress t b off =
  let w = t.w and h = t.h in
  for i = 0 to 15 do
    Array.unsafe_set w i (Int32.to_int (Bytes.get_int32_be b (off + (4 * i))) land mask)
  done;
  for i = 16 to 63 do
    let a = Array.unsafe_get w (i - 15) and e = Array.unsafe_get w (i - 2) in
    let aa = twice a and ee = twice e in
    let s0 = (aa lsr 7) lxor (aa lsr 18) lxor (a lsr 3) and s1 = (ee lsr 17) lxor (ee lsr 19) lxor (e lsr 10) in
    Array.unsafe_set w i ((Array.unsafe_get w (i - 16) + s0 + Array.unsafe_get w (i - 7) + s1) land mask)
  done;
  let rec go i a b c d e f g hh =
    if i = 64 then begin
      let add j v = h.(j) <- (h.(j) + v) land mask in
      add 0 a; add 1 b; add 2 c; add 3 d; add 4 e; add 5 f; add 6 g; add 7 hh
    end else begin
      let ee = twice e and aa = twice a in
      let s1 = (ee lsr 6) lxor (ee lsr 11) lxor (ee lsr 25) in
      let t1 = hh + (s1 land mask) + (g lxor (e land (f lxor g))) + Array.unsafe_get k i + Array.unsafe_get w i in
      let s0 = (aa lsr 2) lxor (aa lsr 13) lxor (aa lsr 22) in
      let t2 = (s0 land mask) + ((a land b) lxor (c land (a lxor b))) in
      go (i + 1) ((t1 + t2) land mask) a b c ((d + t1) land mask) e f g
    end
  in
  go 0 h.(0) h.(1) h.(2) h.(3) h.(4) h.(5) h.(6) h.(7)

let add_bytes t b off len =
  t.total <- t.total + len;
  let off = ref off and len = ref len in
  while !len > 0 do
    if t.filled = 0 && !len >= 64 then begin
      compress t b !off; off := !off + 64; len := !len - 64
    end else begin
      let part = min !len (64 - t.filled) in
      Bytes.blit b !off t.block t.filled part;
      t.filled <- t.filled + part; off := !off + part; len := !len - part;
      if t.filled = 64 then begin compress t t.block 0; t.filled <- 0 end
    end
  done

let add_string t s = add_bytes t (Bytes.unsafe_of_string s) 0 (String.length s)

let finish t =
  let bits = 8 * t.total in
  let pad = 1 + ((119 - t.filled) mod 64) in
  let tail = Bytes.make (pad + 8) '\000' in
  Bytes.set tail 0 '\x80';
  Bytes.set_int64_be tail pad (Int64.of_int bits);
  add_bytes t tail 0 (pad + 8);
  let out = Bytes.create 32 in
  Array.iteri (fun i v -> Bytes.set_int32_be out (4 * i) (Int32.of_int v)) t.h;
  Bytes.unsafe_to_string out

let hex s = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))
