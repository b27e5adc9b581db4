import { describe, expect, it } from 'vitest';
import type { Company } from '../../artifacts/world.js';
import { rng } from '../../kit/rng.js';
import { ean13, ibanOf, imei, luhn, vin } from './check-digits.js';
import { goodsData, placesData } from './data.js';
import { drawArticles, drawFirm } from './firms.js';
import { asciiOf, drawPerson, mailName } from './people.js';
import {
  countryCodes,
  countryOf,
  currencyDigits,
  currencyRate,
  homeOf,
  makePhone,
  makePlace,
  tradePartners,
  zoneOffset,
} from './places.js';

const codes = countryCodes();

describe('places', () => {
  it('knows at least fifty countries', () => {
    expect(codes.length).toBeGreaterThanOrEqual(50);
  });

  it.each(codes)('%s has names, streets, money, phones and addresses of its own', (code) => {
    const country = countryOf(code)!;
    expect(placesData().names[country.names]).toBeDefined();
    expect(placesData().currencies[country.currency]).toBeDefined();
    expect(country.streetNames.length).toBeGreaterThan(4);
    const r = rng('places', code);
    for (let i = 0; i < 20; i++) {
      const place = makePlace(country, r);
      expect(place.street).not.toMatch(/[{}#]\d|\{/);
      expect(place.postcode).not.toMatch(/[#!@]/);
      expect(Math.abs(place.latitude - place.city.latitude)).toBeLessThan(0.06);
      expect(makePhone(country, r)).toMatch(/^\+\d{8,15}$/);
      const person = drawPerson(country.names, r);
      expect(person.first).toMatch(/^[\p{Script=Latin} .'-]{2,}$/u);
      expect(person.last).toMatch(/^[\p{Script=Latin} .'-]{2,}$/u);
      expect(mailName(person)).toMatch(/^[a-z0-9]+\.[a-z0-9]+$/);
    }
    if (country.iban)
      expect(ibanOf(code, country.iban.replace(/[#!]/g, '7').replace(/@/g, 'X'))).toMatch(/^[A-Z]{2}\d{2}[A-Z0-9]+$/);
    const firm = drawFirm(country, '42', r, new Set());
    expect(firm.domain).toMatch(/^[a-z0-9]+\.example$/);
    expect(firm.legalName.length).toBeGreaterThan(firm.name.length);
    expect(tradePartners(country)).toHaveLength(6);
    expect(() => new Intl.DateTimeFormat('en', { timeZone: country.tz })).not.toThrow();
  });

  it('makes a home of a country without data', () => {
    const company = {
      country: 'BW',
      city: 'Gaborone',
      currency: 'BWP',
      timezone: 'Africa/Gaborone',
      locale: 'en_ZA',
    } as Company;
    const home = homeOf(company);
    expect(home).toMatchObject({ code: 'BW', name: 'Botswana', currency: 'BWP' });
    expect(makePhone(home, rng(1))).toMatch(/^\+2677?/);
    expect(makePlace(home, rng(1)).city.name).toBe('Gaborone');
  });

  it('knows currencies and zones', () => {
    expect([currencyDigits('JPY'), currencyDigits('KWD'), currencyDigits('EUR'), currencyDigits('XXX')]).toEqual([
      0, 3, 2, 2,
    ]);
    expect(currencyRate('JPY')).toBeGreaterThan(50);
    expect(zoneOffset('Europe/Berlin', Date.UTC(2024, 6, 1) / 1000)).toBe(7200);
    expect(zoneOffset('America/Bogota', Date.UTC(2024, 6, 1) / 1000)).toBe(-18_000);
    expect(zoneOffset('Nowhere/Land', 0)).toBe(0);
  });

  it('folds letters to ASCII', () => {
    expect(asciiOf('Søren Müller-Łódź')).toBe('sorenmuellerlodz');
    expect(asciiOf('Þórður')).toBe('thordur');
  });
});

describe('check digits', () => {
  const mod97 = (iban: string): bigint =>
    BigInt([...(iban.slice(4) + iban.slice(0, 4))].map((char) => Number.parseInt(char, 36)).join('')) % 97n;

  it('IBANs leave one on division by 97', () => {
    for (const code of codes) {
      const bban = countryOf(code)?.iban?.replace(/[#!]/g, '4').replace(/@/g, 'K');
      if (bban) expect(mod97(ibanOf(code, bban))).toBe(1n);
    }
  });

  it('Luhn, EAN, IMEI and VIN', () => {
    expect(luhn('7992739871')).toBe('79927398713');
    expect(luhn('411111111111111')).toBe('4111111111111111');
    for (let i = 0; i < 30; i++) {
      const sum = [...ean13(rng(i))].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
      expect(sum % 10).toBe(0);
      expect(luhn(imei(rng(i)).slice(0, -1))).toBe(imei(rng(i)));
      expect(vin(rng(i))).toMatch(/^ZZZ[A-HJ-NPR-Z0-9]{5}[0-9X][A-HJ-NPR-Z0-9]{8}$/);
    }
  });
});

describe('goods', () => {
  it.each(Object.keys(goodsData().sectors))('sector %s has thirty distinct articles with distinct codes', (sector) => {
    const articles = drawArticles(sector, 30, rng('goods', sector));
    expect(new Set(articles.map(({ name }) => name)).size).toBe(30);
    expect(new Set(articles.map(({ sku }) => sku)).size).toBe(30);
    for (const { sku, price } of articles) {
      expect(sku).toMatch(/^[A-Z0-9-]+$/);
      expect(price).toBeGreaterThan(0);
    }
  });
});
