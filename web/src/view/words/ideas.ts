/** What a conversation without messages offers to ask; each is something that its model can do. */
export function ideasFor(canvasTitle: string | null, modelId: string): readonly string[] {
  const first = "Add a section on testing, then tighten the introduction";
  if (modelId === "scripted/scribe") {
    return canvasTitle === null ? ["Help"] : [first, 'Add a todo "Call Ana"', "Summarise the document"];
  }
  return canvasTitle === null
    ? ["What can you do?", "Help me plan a short article"]
    : [first, `What is missing from ${canvasTitle}?`, "Turn the list at the end into a table"];
}
