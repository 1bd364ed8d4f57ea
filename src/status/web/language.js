// Runs before uPlot, which formats numbers in the language of the browser, and does not load if Intl does not know it: with
// LANG=C, that of Chromium is en-US@posix.
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}
