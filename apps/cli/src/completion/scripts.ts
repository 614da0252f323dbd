/** Each script asks `thv` for candidates, so it stays correct when thv changes, and offers the names of workloads. */
export const COMPLETION_SCRIPTS = {
  bash: `# bash completion for thv
_thv() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("$1" __complete --current="$2" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -o default -F _thv thv
`,
  zsh: `#compdef thv
_thv() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${\${line#*$'\\t'}}")
  done < <(thv __complete --current="\${words[CURRENT]}" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)
  if (( \${#found} )); then
    # Names count in any case, as thv takes them.
    _describe 'thv' found -M 'm:{a-zA-Z}={A-Za-z}'
  else
    [[ "$PREFIX" == --*=* ]] && compset -P '*='
    _files
  fi
}
compdef _thv thv
# In a file of $fpath this is the first call itself.
if [[ "\${funcstack[1]}" == _thv ]]; then _thv; fi
`,
  fish: `# fish completion for thv
function __thv_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l found (thv __complete "--current=$current" -- $before[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c thv -f -a '(__thv_complete)'
`,
  powershell: `# PowerShell completion for thv
Register-ArgumentCompleter -Native -CommandName thv -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  & thv __complete "--current=$wordToComplete" '--' @before 2>$null | ForEach-Object {
    $value, $summary = $_ -split "\`t", 2
    if (-not $summary) { $summary = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $summary)
  }
}
`,
} as const
