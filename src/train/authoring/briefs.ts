/** The benchmark's thirty briefs, six to each held-out group: what they are about, no training sample contains. */
import { HELD_OUT_GROUPS } from './held-out.js';

export interface HeldOutBrief {
  text: string;
  /** The archetypes it is about. */
  archetypes: readonly string[];
}

const TEXTS: readonly (readonly string[])[] = [
  [
    'A physiotherapy practice in Porto with four therapists: appointments, and claims to the health insurers.',
    'An eye clinic in Leeds that books patients into surgery slots and bills their insurance.',
    'A dermatology office in Tucson; patients come by appointment and most visits are claimed from a payer.',
    'A paediatric clinic in Nairobi with two doctors, its calendar of visits and its insurance claims.',
    'A dental group in Gdansk with five chairs. Recalls, referrals, cancellations and reimbursements.',
    'A small fertility clinic in Melbourne: consultations are scheduled, treatments are authorised by insurers first.',
  ],
  [
    'A seaside hotel in Split with 40 rooms and a restaurant that its guests charge to their room.',
    'A mountain lodge near Innsbruck: reservations, housekeeping, and a kitchen with table bookings.',
    'A boutique hotel in Oaxaca with a rooftop bar and a brunch menu.',
    'A family-run inn in Vermont, twelve rooms, dinner served every evening.',
    'A business hotel in Nagoya whose two restaurants take reservations from outside too.',
    'A resort on Zanzibar with bungalows, room service and a fish grill.',
  ],
  [
    'A credit cooperative in Cuenca that keeps savings accounts and lends to small farmers.',
    'A town bank in Bavaria: current accounts, standing orders, and car loans.',
    'A digital bank in Lagos with debit cards and instalment credit.',
    'A building society in Bristol: savings books and mortgages, with arrears to look after.',
    'A microfinance bank in Cebu with weekly repayments and small deposits.',
    'A private bank in Luxembourg whose clients borrow against their accounts.',
  ],
  [
    'A municipal water company in Ghent: meters, readings, leaks, and technicians who are sent out.',
    'A rural electricity cooperative in Iowa that reads meters and repairs lines.',
    'A district heating supplier in Tampere with meter readings and maintenance visits.',
    'A gas distributor in Izmir: connections, disconnections, and inspections at the customers.',
    'A village water board in Kerala that repairs pumps and bills by the meter.',
    'An energy utility in Hobart, with smart meters and crews for outages.',
  ],
  [
    'A coach tour operator in Krakow: departures, bookings, and its own buses.',
    'A safari company in Arusha with eight off-road vehicles and guided trips.',
    'An airport transfer and day trip agency in Lisbon with minibuses and drivers.',
    'A ski trip organiser in Lyon that sells packages and runs its own coaches.',
    'A whale watching company in Husavik: trips, passengers, and boats that need inspection.',
    'A pilgrimage travel agency in Amman with buses, drivers and group bookings.',
  ],
];

/** In an order that takes the groups by turns, so that the first n are spread over them. */
export const HELD_OUT_BRIEFS: readonly HeldOutBrief[] = Array.from({ length: 30 }, (_, n) => {
  const group = n % HELD_OUT_GROUPS.length;
  return {
    text: TEXTS[group]?.[Math.floor(n / HELD_OUT_GROUPS.length)] ?? '',
    archetypes: HELD_OUT_GROUPS[group] ?? [],
  };
});
