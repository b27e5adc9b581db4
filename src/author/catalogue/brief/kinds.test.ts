import { countries as worldCountries } from 'countries-list';
import { describe, expect, it } from 'vitest';
import { rng } from '../../../kit/rng.js';
import { archetypeIds } from '../archetype.js';
import { guessCountry } from './country.js';
import { regions, trades } from './data.js';
import { industryOf } from './industry.js';
import { readBrief, servicesFor, tradesOf } from './reading.js';

const servicesOf = (text: string): string[] => {
  const { brief } = readBrief(text);
  return servicesFor(brief, tradesOf(brief, undefined), {}, rng('1', 'brief')).archetypes;
};
const countryOf = (text: string): string | undefined => {
  const { brief, language } = readBrief(text);
  return guessCountry(brief, language.code).code;
};

describe('the tables of trades and places', () => {
  it('name industries and archetypes that exist', () => {
    const known = new Set(archetypeIds());
    const wrong = trades().trades.flatMap(({ id, naics, services }) => {
      expect(() => industryOf(naics), `${id} ${naics}`).not.toThrow();
      return Object.keys(services).filter((each) => !known.has(each));
    });
    expect(wrong).toEqual([]);
  });

  it('name countries that exist', () => {
    const { regions: own, towns } = regions();
    expect([...Object.keys(own), ...Object.keys(towns)].filter((code) => !(code in worldCountries))).toEqual([]);
  });
});

describe('what a brief denies', () => {
  it('is a rule where a sentence says what somebody does not get', () => {
    expect(servicesOf('Microfinance for market women. A group with one late member gets no new loan.')).toContain(
      'lending',
    );
  });

  it('is told after it, too', () => {
    expect(servicesOf('Clearing and forwarding agents at a port, 22 people. Trucks are not ours.')).toContain(
      'customs_broker',
    );
  });

  it('leaves a department without what the whole runs on', () => {
    const services = servicesOf('Purchasing department of a hospital: requisitions, suppliers, goods receipts.');
    expect(services).toContain('procurement');
    expect(services).not.toContain('clinical_scheduling');
  });
});

describe('where a brief is from', () => {
  it.each([
    ['Skigebiet mit 6 Liften in Vorarlberg', 'AT'],
    ['Tea estate, Nuwara Eliya', 'LK'],
    ['app for clinics, sold to hotels, Melbourne', 'AU'],
    ['flower exporter Naivasha, 6 buyers in Holland and 1 in Dubai', 'KE'],
    ['mes esame vertimų biuras Vilniuje', 'LT'],
  ])('%s', (text, code) => {
    expect(countryOf(text)).toBe(code);
  });

  it('takes a word for no town where it does not stand as one', () => {
    expect(countryOf('Most of our guests are reading in the bath')).toBeUndefined();
  });
});
