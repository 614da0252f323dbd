import type { ServicePlan } from './service-plan.ts'

export const LAUNCHD_LABEL = 'toolhaven.daemon'

/** The property list of a launch agent (launchd.plist(5)): it starts at login, and again after a failure. */
export function renderLaunchdPlist({ command, env, outputFile }: ServicePlan): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `    <key>${escapeXml(name)}</key>\n    <string>${escapeXml(value)}</string>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>45</integer>
  <key>StandardOutPath</key>
  <string>${escapeXml(outputFile)}</string>
  <key>StandardErrorPath</key>
  <string>${escapeXml(outputFile)}</string>
</dict>
</plist>
`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
