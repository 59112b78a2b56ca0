// Runs before the first paint, so that a chosen look does not flash. A file of its own: no exception in the policy.
try {
  var theme = localStorage.getItem("heddle.theme");
  var look = document.documentElement.dataset;
  look.textSize = localStorage.getItem("heddle.text-size") || "medium";
  look.face = localStorage.getItem("heddle.face") || "sans";
  look.measure = localStorage.getItem("heddle.measure") || "narrow";
  if (theme === "light" || theme === "dark" || theme === "contrast") look.theme = theme;
} catch {
  // Without storage the system's theme applies.
}
