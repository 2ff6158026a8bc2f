/** What `nuncio init` writes: two agents that work at once without a key, and how to go on from there. */
export const starterConfig = `# Nuncio: agents that hand work to each other.
#
#   nuncio up                                start the daemon
#   nuncio send front-desk "hello" --wait    give an agent something to do
#
# Unknown keys are refused with file, line and column. \${NAME} takes an environment variable.

dataDir: ./data # ledger, control socket; readable by you alone

server:
  host: 127.0.0.1
  port: 4700 # A2A over HTTP
  # publicBaseUrl: https://agents.example.com    # needed as soon as others are to reach your agents

a2a:
  defaultAgent: front-desk # its card stands at /.well-known/agent-card.json

access:
  anonymous: true # on loopback only; else make keys with: nuncio key create NAME

personas:
  # A scripted agent follows the first rule whose "when" matches. It needs no model.
  - name: front-desk
    description: Takes questions and has them looked up
    visibility: public
    runtime: scripted
    capabilities:
      allow: [persona.send:librarian]
    script:
      - steps:
          - status: asking the librarian
          - send: { to: librarian, message: "{{input.text}}", await: true, as: answer }
          - reply: "The librarian says: {{results.answer}}"

  - name: librarian
    description: Answers from a script
    runtime: scripted
    script:
      - when: { text: "^([Hh]ello|[Hh]i)\\\\b" }
        steps:
          - reply: Good day. Ask me anything.
      - steps:
          - status: searching the shelves
          - sleep: 300
          - reply: 'I found nothing on "{{input.text}}" yet. Give me a model, and I will.'

  # An agent with a model: export ANTHROPIC_API_KEY, take the comment signs away, and write its prompt.
  # - name: assistant
  #   model: claude-sonnet-4-6
  #   systemPromptFile: personas/assistant/system.md
  #   visibility: public
  #   capabilities:
  #     allow: ["persona.send:*"]

# Models that speak the OpenAI protocol, and programs that take a prompt:
# providers:
#   local: { type: openai-compatible, baseURL: "http://127.0.0.1:11434/v1" }
#   claude: { type: command, command: claude, args: ["-p"], timeoutMs: 600000 }
`;
