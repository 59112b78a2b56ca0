// Runs before the first paint, so that a chosen theme does not flash. A file of its own: no exception in the policy.
try {
  var theme = localStorage.getItem("heddle.theme");
  if (theme === "light" || theme === "dark" || theme === "contrast") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme applies.
}
