/** The hosts of one database: who lives, who fits, and who is woken. */
export { createHosts, type Hosts, type HostState } from './hosts.ts';
export { createHostAlarms, type HostAlarms } from './host-alarms.ts';
export { identify } from './identify.ts';
export { createWakeUpSender, followWakeUps } from './wake-ups.ts';
