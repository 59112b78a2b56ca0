/** The text of `heddle --help`. */
export const generalHelp = `Heddle: a workspace in which people and language models write together.

Examples
  heddle                          start the server and open the app in the browser
  heddle serve --port 0           start on any free port
  heddle serve --data ./notes     keep the data in ./notes
  heddle chat                     talk with a model in the terminal
  heddle run "Name three looms"   ask once, for scripts
  heddle doctor                   check that everything works

Commands
  serve     start the server (the default, with --open)
  chat      talk with a model in the terminal
  run       ask once and print the answer, for scripts
  ask       the same as run
  tree      list the conversations, or the branches of one
  log       print a branch of a conversation
  show      print a document
  edit      change a document in your own editor
  diff      show what changed in a document
  blame     show who wrote each line of a document
  undo      undo what a turn of an agent changed
  search    find messages and documents by their words
  approve   decide about a call that waits for your approval
  tools     list the tools that agents have, or run a block tool
  acp       work as an agent in an editor (Zed, JetBrains, Neovim)
  backup    copy all data to another folder
  drill     try whether a backup can be restored
  migrate   move a workspace between SQLite and PostgreSQL
  compact   give the disk back what the database no longer uses
  recover   save what can be read of damaged data in a new folder
  import    add conversations from a file or an earlier store
  export    write a conversation to a file
  trace     write the events of a conversation's turns to a file
  replay    run a trace again, state by state
  context   show what the next request of a conversation holds
  files     list, move or delete the files of a folder
  trash     list, restore or delete for good what was deleted
  models    ask each configured provider for its models
  providers add, test or remove a provider of models
  mcp-servers  add, test, switch or remove an MCP server
  people    let an owner of a team in again who lost the password
  share     show or change who can see something of a team
  budgets   what people and groups may spend on models, and spent
  audit     export or verify who did what in a team's workspace
  token     make, list or revoke tokens that allow less than yours
  mcp       serve agents of other programs, which start this command
  syntax    list the syntaxes of tool calls, or try one
  doctor    check this machine and the data folder
  completion  complete commands and flags in your shell

"heddle COMMAND --help" tells more. "heddle --version" prints the version.`;
