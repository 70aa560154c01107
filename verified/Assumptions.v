(* What each theorem assumes: the axioms of Coq's real numbers, and nothing else. *)
From Separatrix Require Separation Optimal Margin Mistakes Samples Polynomials Joint JointKernels.
Print Assumptions Separation.separation_sound.
Print Assumptions Optimal.optimal_sound.
Print Assumptions Margin.margin_sound.
Print Assumptions Mistakes.mistakes_sound.
Print Assumptions Mistakes.updates_sound.
Print Assumptions Samples.two_product.
Print Assumptions Samples.pair_product.
Print Assumptions Polynomials.optimal_answer_sound.
Print Assumptions Polynomials.hard_answer_sound.
Print Assumptions Polynomials.contradiction_answer_sound.
Print Assumptions Joint.joint_sound.
Print Assumptions JointKernels.joint_answer_sound.
