// The stops of the tour: a title, what is pointed at, the scene, and a few words.

const run = (name, settings = {}, tab = "w") => async ({ client, tabs }) => {
  tabs.cut(null);
  tabs.open(tab);
  await client.act("preset", { name });
  if (Object.keys(settings).length) await client.act("set", { settings });
};
const from = (stop, step) => async (app) => { await stop(app); await app.client.act("seek", { step }); };
// The run plays by itself, unless the reader wants no motion: then its first step is shown, and the button plays it.
const play = (stop, speed) => async (app) => {
  await from(stop, 0)(app);
  app.player.speed.value = speed;
  app.player.saySpeed();
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) app.player.play();
};

export const STOPS = [
  ["Two spaces", ".views", from(run("origin"), 0), "In x-space there are points of two classes. In w-space every point has become a line through 0 with the point as its normal. "
    + "A line that separates in x-space is one point in w-space, somewhere in the shaded wedge."],
  ["The perceptron", ".w-view", play(run("origin"), 18), "It looks at one point after the other. Where a point is on the wrong side, w jumps along it or against it: watch w walk into the wedge. "
    + "You can drag w yourself, and the line turns."],
  ["It ends, if a line exists", ".panel", run("eight"), "These eight points took 106 updates. The theorem allows 1683 at most, whatever the order. This run stops only when no point is wrong."],
  ["The risk", ".w-view", run("origin", { algorithm: "gradient" }, "risk"), "Descent sees the same points as a landscape: the risk is a bowl of flat pieces with its creases on the points' lines. On its dark floor every point is right."],
  ["When no line exists", ".x-view", run("xor", { algorithm: "perceptron" }), "Here the perceptron would run for ever. Four points prove that nobody can do better: with the right weights their vectors y(x, 1) add up to 0."],
  ["The widest slab", ".x-view", run("separable"), "Of all separators one is best: the middle of the widest slab with no point inside. A few points hold it in place, the ringed ones: the support vectors."],
  ["A corner of a polyhedron", ".w-view", run("separable", {}, "solid"), "In (w, b)-space each point allows one side of a plane. What all of them allow is a polyhedron, and the widest slab is where it comes nearest to the b-axis. Turn it with the mouse."],
  ["Errors have a price", ".settings", run("overlapping"), "With a soft margin points may be inside the slab or on the wrong side. Each pays C for every unit of slack, which is how far it is short of its margin. Move C: small makes the slab wide and lenient, large makes it narrow and strict."],
  ["Primal and dual meet", ".panel", play(run("overlapping"), 12), "The primal objective comes from above, the dual from below. Where they meet, nothing better exists: that is the certificate, and anyone can check it."],
  ["Curves from kernels", ".x-view", run("xor"), "The perceptron needs only the products of points with each other. Another product, a kernel, means another space, and there the four corners are separable."],
  ["The kernel SVM", ".x-view", run("circles"), "The widest slab in the kernel's space is a ring here. Move γ: the larger it is, the narrower is the kernel around each point, and the more the boundary bends."],
  ["Yours", ".x-view", ({ tour }) => tour.giveBack(), "These are your own points again. Click to add more, drag them, drag the line, press play. The address of this page is the scene: send it to somebody."],
];
