import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface RecordedStep {
  command: string
  output: string
}

const PAGE = path.resolve(__dirname, '../docs/toolhaven/tutorials/quickstart-cli.mdx')
/** Those whose output fits the window beside the steps, also on a phone. */
const SHOWN = ['thv client register cursor', 'thv run time', 'thv call time get_current_time --arg timezone=Asia/Tokyo']
const STEP = /```bash run\n(?<command>[^\n]+)\n```\n\n```text output\n(?<output>[\s\S]*?)\n```/g

/** The run that the home page plays: steps of the quickstart, whose output the documentation tests compare with the program's. */
export function recordedRun(): RecordedStep[] {
  const steps = [...readFileSync(PAGE, 'utf8').matchAll(STEP)].map(({ groups }) => groups ?? {})
  return SHOWN.map((command) => {
    const output = steps.find((step) => step['command'] === command)?.['output']
    if (output === undefined) throw new Error(`The quickstart no longer shows the output of ${command}`)
    return { command: `npx ${command}`, output }
  })
}
