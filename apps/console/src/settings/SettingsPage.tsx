import '../css/settings.css'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { messageOf } from '../api.ts'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { AboutSection } from './AboutSection.tsx'
import { ColoursSection } from './ColoursSection.tsx'
import { DoctorSection } from './DoctorSection.tsx'
import { LoginsSection } from './LoginsSection.tsx'
import { RuntimeSection } from './RuntimeSection.tsx'
import { SettingForm } from './SettingForm.tsx'
import { CERTIFICATE, TELEMETRY } from './setting-fields.ts'
import { settingsQuery } from './settings-query.ts'

export const Route = createLazyRoute('/settings')({ component: SettingsPage })

function SettingsPage() {
  const { data: settings, error } = useQuery(settingsQuery)
  return (
    <>
      <PageTitle title="Settings" />
      <RuntimeSection />
      <DoctorSection />
      {error && !settings && <Problem message={messageOf(error)} />}
      {settings && (
        <>
          <section className="panel" aria-label="Certificates">
            <h2>Certificates</h2>
            <p>
              A certificate to trust besides those of the system, for downloads and remote servers. The file is checked
              when you save and read again whenever it is used.
            </p>
            <SettingForm fields={CERTIFICATE} settings={settings} />
          </section>
          <section className="panel" aria-label="Telemetry">
            <h2>Telemetry</h2>
            <p>
              Servers without telemetry settings of their own send traces and metrics to this collector. Without an
              endpoint, nothing is sent. A running server uses the new settings after its next start.
            </p>
            <SettingForm fields={TELEMETRY} settings={settings} />
          </section>
        </>
      )}
      <ColoursSection />
      <LoginsSection />
      <AboutSection />
    </>
  )
}
