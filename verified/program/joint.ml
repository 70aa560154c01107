(* The SVM of all classes at once (Crammer and Singer). Without W in the certificate the rows are read twice: first for
   the W that belongs to beta, then for the check, which takes W from wherever it comes. *)
open Numerals
open Sentence
open Checks

(* C_i and beta of each row, which are asked for in order. *)
let row_reader c (places, values) =
  let cost, costs = read_costs c and beta = Data.cursor (places, values) and k = classes c in
  let read i part =
    let ci = cost i part in
    let at m =
      match Data.value_at beta ((i * k) + m) with
      | None -> None
      | Some v ->
        if v < 0.0 || part = 0 || part = m + 1 then reject "beta of row %d and class %d must be zero, or is negative." i m;
        Some (Z.of_int m, dyadic v)
    in
    (ci, List.filter_map at (List.init k Fun.id))
  in
  (read, costs)

(* The values of a tree as integers times one power of two. *)
let table_of size (tree : Core.tree) =
  let found = ref [] in
  let rec walk (t : Core.tree) place bit =
    match t with
    | Empty -> ()
    | Leaf v -> if Z.sign v.man <> 0 then found := (place, v) :: !found
    | Node (l, r) -> walk l place (2 * bit); walk r (place + bit) (2 * bit)
  in
  walk tree 0 1;
  let least = List.fold_left (fun e (_, (v : Core.dy)) -> Z.min e v.ex) Z.zero !found in
  let values = List.rev_map (fun (_, (v : Core.dy)) -> Z.shift_left v.man (Z.to_int (Z.sub v.ex least))) !found in
  (Data.lookup size (Array.of_list (List.rev_map fst !found)) (Array.of_list values), least)

let linear c =
  let given = field c.proof "W" <> None in
  let proof = fields c.proof "proof" ([ "beta"; "b"; "primal"; "dual" ] @ if given then [ "W" ] else []) in
  let at = List.nth proof in
  if get c "loss" <> Json.String "hinge" then reject "The joint SVM has the hinge loss.";
  let k = classes c in
  let size = k * c.d in
  let beta = reals (at 0) "beta" (c.n * k) in
  let b_places, b = reals (at 1) "b" k in
  let upper = real "primal" (at 2) and lower = real "dual" (at 3) in
  let bias, bias_name = bias_of c in
  let b_values, bs = Data.common b in
  let b_table = Data.lookup k b_places b_values and bs = Z.of_int bs in
  let hw = Data.height size and hb = Data.height k and kz = Z.of_int k and d = Z.of_int c.d in
  let ms = List.init k Z.of_int and pull = ref Core.Empty in
  let weights =
    if given then begin
      let places, w = reals (at 4) "W" size in
      let values, ws = Data.common w in
      Lazy.from_val (Data.lookup size places values, Z.of_int ws)
    end else lazy (table_of size !pull) in
  let check = lazy (let w, ws = Lazy.force weights in Core.joint_check bias hw hb kz d ms w ws b_table bs (dyadic lower) (dyadic upper)) in
  let state = lazy (ref (fst (fst (Lazy.force check)))) in
  let sample part buffer ci betas =
    let scale, entries = Data.entries buffer in
    Core.joint_sample scale entries (Z.of_int (part - 1)) (dyadic ci) betas in
  let gather, _ = row_reader c beta and read, costs = row_reader c beta in
  let first i part buffer =
    let ci, betas = gather i part in
    if betas <> [] then pull := Core.joint_pairs hw kz d !pull (sample part buffer ci betas) in
  let each i part buffer =
    let ci, betas = read i part in
    if part <> 0 then begin
      let state = Lazy.force state and step = snd (fst (Lazy.force check)) in
      let before = Core.joint_good !state in
      state := step !state (sample part buffer ci betas);
      if before && not (Core.joint_good !state) then reject "The beta of row %d sum to more than C = %s." i (value ci)
    end
  in
  let finish () =
    let state = !(Lazy.force state) and w, ws = Lazy.force weights in
    if not (snd (Lazy.force check) state) then begin
      let primal, dual = Core.joint_values bias hw hb kz d w ws b_table bs state in
      if not (Core.joint_balanced bias ms b_table state) then
        reject "The bias is free, yet a column of A does not sum to zero; or there is none, yet b is not zero.";
      if Q.gt (of_dy primal) (Q.of_float upper) || Q.lt (of_dy dual) (Q.of_float lower) then
        reject "The points prove an optimum %s, not the claimed one." (between (of_dy dual) (of_dy primal));
      reject "The primal value is below zero or the dual one, or the dual one below a primal of zero."
    end;
    (optimum c.sides ~loss:"hinge" ~bias:bias_name ~kernel:"linear" ~costs:(costs ()) (Q.of_float lower) (Q.of_float upper), Some (upper, lower))
  in
  if given then { row = each; second = None; finish } else { row = first; second = Some each; finish }

let kernelised matrix c =
  if field c.proof "W" <> None then reject "W is a vector of numbers only without a kernel.";
  let proof = fields c.proof "proof" [ "beta"; "b"; "primal"; "dual" ] in
  let at = List.nth proof in
  if get c "loss" <> Json.String "hinge" then reject "The joint SVM has the hinge loss.";
  let k = classes c and outsides = ref [] in
  let kernel = Kernelised.read outsides 0 (get c "kernel") in
  let read, costs = row_reader c (reals (at 0) "beta" (c.n * k)) in
  let b_places, b = reals (at 1) "b" k in
  let upper = real "primal" (at 2) and lower = real "dual" (at 3) in
  let bias, bias_name = bias_of c in
  let b_values, bs = Data.common b in
  let kept : Kernelised.kept = { rows = []; matrix_rows = [] } and numbers = ref [] in
  let row i part buffer =
    let found = read i part in
    Kernelised.keep kernel kept i part buffer;
    if part <> 0 then numbers := found :: !numbers
  in
  let finish () =
    let values = Kernelised.read_matrix c kernel kept matrix in
    let members =
      List.rev_map2 (fun (_, part, x) (ci, betas) -> Core.joint_member x (Z.of_int (part - 1)) (dyadic ci) betas) kept.rows !numbers in
    let width = if kernel.given then c.n else c.d in
    let answer =
      Core.joint_kernel (Data.height width) (Z.of_int width) kernel.core (Kernelised.ends !outsides values) bias (Z.of_int k) (List.init k Z.of_int)
        (Data.lookup k b_places b_values) (Z.of_int bs) (dyadic lower) (dyadic upper) members in
    c.conditions :=
      Kernelised.settle kernel !outsides answer ~refused:"The points do not prove that the optimum lies where it is claimed to lie.";
    (optimum c.sides ~loss:"hinge" ~bias:bias_name ~kernel:kernel.text ~costs:(costs ()) (Q.of_float lower) (Q.of_float upper), Some (upper, lower))
  in
  { row; second = None; finish }
