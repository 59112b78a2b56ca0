export const welcomeTitle = "Welcome";

/** The first document of a new workspace: short, true, and worth editing. */
export const welcomeText = `# Welcome to Heddle

## Introduction

Heddle is a workspace in which people and language models are able to write documents together at one and the same time. This document, which you are reading right now, is a canvas, and it is shared: you can simply type in it, an agent can edit it, and both of you can do so at once without anybody's words getting lost.

## Things to try

- Ask in the conversation beside this document: "Add a section on testing, then tighten the introduction".
- Type here while the agent is working. Your words stay, its edits merge in.
- Choose *Take control* to stop the agent at once.
- Undo the agent's turn as a whole; what you wrote remains.
- Edit a question you have asked. The answer branches, and both branches stay.

## How it is put together

Every edit knows who made it. An agent checks a canvas out before it edits, so that two agents never pull at the same lines:

\`\`\`text
check out  ->  look  ->  patch  ->  check in
\`\`\`

Nothing is acknowledged before it is on disk, so stopping the server by force loses nothing.

## Notes

This part is yours.
`;
