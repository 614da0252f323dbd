import { invalid } from '@toolhaven/core/errors'
import { setSetting } from '../setting.ts'
import { SAMPLING_RATE } from './otel-settings.ts'

export const otelSetSamplingRate = setSetting(SAMPLING_RATE, {
  args: [{ name: 'rate', summary: 'from 0 to 1', required: true }],
  examples: [{ command: 'thv config otel set-sampling-rate 0.1', shows: 'one call in ten' }],
  change: ([text = '']) => {
    const rate = Number(text)
    if (text.trim() === '' || !(rate >= 0 && rate <= 1))
      throw invalid('the sampling rate must be a number from 0 to 1, such as 0.1')
    return { otel: { 'sampling-rate': rate } }
  },
})
