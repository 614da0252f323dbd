import { program } from './commands.ts'
import { explainFailure } from './output/explain-failure.ts'

try {
  await program().parseAsync(process.argv)
} catch (error) {
  process.exitCode = explainFailure(error)
}
