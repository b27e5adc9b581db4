/** Countries and addresses, from data/places.yaml. */
import { countries } from 'countries-list';
import type { Company } from '../../artifacts/world.js';
import type { Rng } from '../../kit/rng.js';
import { fillPattern } from './check-digits.js';
import { type CountryData, placesData } from './data.js';

export interface City {
  name: string;
  region: string;
  postcode: string;
  latitude: number;
  longitude: number;
  timezone: string;
}

export interface Country extends Omit<CountryData, 'cities'> {
  code: string;
  cities: City[];
  streetNames: string[];
}

export interface Place {
  country: Country;
  city: City;
  street: string;
  postcode: string;
  latitude: number;
  longitude: number;
}

const known = new Map<string, Country>();

/** ISO 3166-1 alpha-2 codes that have data, sorted. */
export const countryCodes = (): string[] => Object.keys(placesData().countries).sort();

/** The country's facts; undefined when data/places.yaml has none. */
export const countryOf = (code: string): Country | undefined => {
  const found = known.get(code);
  if (found) return found;
  const data = placesData().countries[code];
  if (!data) return undefined;
  const cities = data.cities.map((text): City => {
    const [name = '', region = '', postcode = '', latitude = '0', longitude = '0', timezone] = text.split('|');
    return {
      name,
      region,
      postcode,
      latitude: Number(latitude),
      longitude: Number(longitude),
      timezone: timezone ?? data.tz,
    };
  });
  const country: Country = { ...data, code, cities, streetNames: placesData().streets[data.streets] ?? [] };
  known.set(code, country);
  return country;
};

const needCountry = (code: string): Country => countryOf(code) as Country;

/** The company's country; one without data is made of what the company and the countries list say, with English names. */
export const homeOf = (company: Company): Country => {
  const known = countryOf(company.country);
  if (known) return known;
  const facts = countries[company.country as keyof typeof countries] as { name: string; phone: number[] } | undefined;
  const city: City = {
    name: company.city,
    region: company.city,
    postcode: '1####',
    latitude: 0,
    longitude: 0,
    timezone: company.timezone,
  };
  return {
    code: company.country,
    name: facts?.name ?? company.country,
    currency: company.currency,
    lang: 'en',
    locale: company.locale,
    names: placesData().names[company.locale] ? company.locale : 'en',
    streets: 'en_gb',
    tz: company.timezone,
    vat: 15,
    reduced: 0,
    legal: [' Ltd'],
    phone: `+${facts?.phone[0] ?? 99}55#####`,
    tax: ['TIN', '99######'],
    address: '{n} {s}',
    cities: [city],
    streetNames: placesData().streets.en_af ?? [],
  };
};

/** Units of the currency for a US dollar; 1 where it is not known. */
export const currencyRate = (currency: string): number => placesData().currencies[currency]?.[0] ?? 1;
/** Digits behind the point of the currency's major unit. */
export const currencyDigits = (currency: string): number => placesData().currencies[currency]?.[1] ?? 2;

/** What work is paid in a country, as a share of what the United States pay. */
export const wageLevel = (country: string): number => {
  const { wages } = placesData();
  return wages[country] ?? wages.other ?? 0.12;
};
/** What people's work costs there: wages count for less than half of it, and for little of the price of goods. */
export const serviceLevel = (country: string): number => wageLevel(country) ** 0.45;
export const goodsLevel = (country: string): number => wageLevel(country) ** 0.15;

const neighbours = new Map<string, Country[]>();
/** The countries nearest by distance of their first cities: where a company trades abroad. */
export const tradePartners = (country: Country): Country[] => {
  const found = neighbours.get(country.code);
  if (found) return found;
  const [home] = country.cities as [City];
  const away = (other: Country): number => {
    const [city] = other.cities as [City];
    const dx = (city.longitude - home.longitude) * Math.cos((home.latitude * Math.PI) / 180);
    return dx * dx + (city.latitude - home.latitude) ** 2;
  };
  const all = countryCodes()
    .filter((code) => code !== country.code)
    .map(needCountry);
  const nearest = all.map((other) => [away(other), other] as const).sort((a, b) => a[0] - b[0]);
  const out = nearest.slice(0, 6).map(([, other]) => other);
  neighbours.set(country.code, out);
  return out;
};

const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

/** The company's city as the country's data spells it, else as given. */
export const homeCity = (country: Country, city: string): string =>
  country.cities.find(({ name }) => folded(name) === folded(city))?.name ?? city;

/** A city, the large ones more often; `home` (a city's name) for a third. */
export const pickCity = (country: Country, r: Rng, home?: string, share = 0.33): City => {
  const own = home ? country.cities.find((city) => folded(city.name) === folded(home)) : undefined;
  if (own && r.chance(share)) return own;
  // A town that is too small for the list is still where most of its own things are.
  if (home && !own && r.chance(share)) return townOf(country, home);
  return country.cities[Math.floor(country.cities.length * r.unit() ** 1.6)] as City;
};

const towns = new Map<string, City>();
const townOf = (country: Country, name: string): City => {
  const key = `${country.code} ${name}`;
  const known = towns.get(key);
  if (known) return known;
  const [first] = country.cities as [City];
  const town = { ...first, name, region: name };
  towns.set(key, town);
  return town;
};

/** A whole address inside the city's reach. */
export const makePlace = (country: Country, r: Rng, home?: string, share?: number): Place => {
  const city = pickCity(country, r, home, share);
  const number = String(
    r.weighted([[r.int(1, 60), 6] as const, [r.int(61, 180), 3] as const, [r.int(181, 400), 1] as const]),
  );
  return {
    country,
    city,
    street: country.address.replace('{s}', r.pick(country.streetNames)).replace('{n}', number),
    postcode: fillPattern(city.postcode, r),
    latitude: Math.round((city.latitude + (r.unit() - 0.5) * 0.09) * 1e5) / 1e5,
    longitude: Math.round((city.longitude + (r.unit() - 0.5) * 0.09) * 1e5) / 1e5,
  };
};

/** A number in E.164 of the country, from a range that is not given out where the country keeps one. */
export const makePhone = (country: Country, r: Rng): string => {
  let pattern = country.phone;
  if (country.area && pattern.startsWith('+1###')) pattern = pattern.replace('###', String(r.pick(country.area)));
  return fillPattern(pattern, r);
};

/** `Street 1, 1017 AB Amsterdam` */
export const oneLine = (place: Place): string =>
  `${place.street}, ${place.postcode} ${place.city.name}`.replace(/\s+/g, ' ');

interface Zone {
  /** By 30 days since 1970. */
  offsets: Map<number, number>;
  /** Dear to make, cheap to ask; made when first asked. */
  format?: Intl.DateTimeFormat;
}

const zones = new Map<string, Zone>();
const zoneOf = (timezone: string): Zone => {
  const known = zones.get(timezone);
  if (known) return known;
  const zone: Zone = { offsets: new Map() };
  zones.set(timezone, zone);
  return zone;
};

/** Seconds east of UTC in `timezone` at `at` (unix seconds); 0 for an unknown zone. */
export const zoneOffset = (timezone: string, at: number): number => {
  const month = Math.floor(at / 2_592_000);
  const zone = zoneOf(timezone);
  const found = zone.offsets.get(month);
  if (found !== undefined) return found;
  let offset = 0;
  try {
    zone.format ??= new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
    // The middle of the month: what is remembered must not depend on who asked first.
    const text = zone.format.format((month + 0.5) * 2_592_000_000);
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d+):?(\d+)?/.exec(text) ?? [];
    offset = (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
  } catch {
    // An unknown zone keeps UTC: working hours shift, nothing breaks.
  }
  zone.offsets.set(month, offset);
  return offset;
};
