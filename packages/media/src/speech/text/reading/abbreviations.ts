/**
 * Abbreviations by language, written without spaces, and their words. A sign after the abbreviation restricts its context: `#` before
 * figures, `§` before figures or a single letter, `^` before a name, `<` after a name or figures, `>` after
 * the figures of a paragraph (`Abs. 1 S. 2`); with several signs, all of them hold. The
 * first match is used.
 */
const LISTS: Readonly<Record<string, string>> = {
  en: `c/o=care of|para.§=paragraph|paras.#=paragraphs|subsec.§=subsection|cl.§=clause|pts.<=points|pts<=points|P.O.=P O|v.<^=versus|Mr.=mister|Mr^=mister|Mrs.=missus|Mrs^=missus|Ms.=miz|Ms^=miz|Prof.=professor|Dr.^=doctor|Dr^=doctor|Dr.<=drive|St.^=saint|St^=saint|St.<=street|
Ave.<=avenue|Blvd.<=boulevard|Rd.<=road|Ln.<=lane|Hwy.#=highway|Mt.^=mount|Ft.^=fort|Jr.=junior|Sr.=senior|Gen.^=general|Col.^=colonel|Capt.^=captain|Lt.^=lieutenant|
Sgt.^=sergeant|Maj.^=major|Cpl.^=corporal|Rev.^=reverend|Hon.^=honorable|Gov.^=governor|Sen.^=senator|Rep.^=representative|Pres.^=president|
vs.=versus|vs=versus|e.g.=for example|i.e.=that is|etc.=et cetera|approx.=approximately|dept.=department|Dept.=department|incl.=including|excl.=excluding|
w/o=without|w/=with|b/c=because|No.#=number|no.#=number|Nº#=number|nº#=number|N°#=number|n°#=number|Nos.#=numbers|p.#=page|pp.#=pages|pcs.=pieces|mo.<=months|mos.<=months|pcs<=pieces|vol.#=volume|Vol.#=volume|ch.#=chapter|Ch.#=chapter|fig.#=figure|Fig.#=figure|sec.#=section|Sec.#=section|
Art.#=article|art.#=article|ed.#=edition|Inc.=incorporated|Ltd.=limited|Corp.=corporation|Co.=company|Bros.=brothers|Assn.=association|Univ.^=university|Univ.=university|
govt.=government|est.#=established|esp.=especially|max.=maximum|min.=minimum|avg.=average|misc.=miscellaneous|ext.#=extension|apt.#=apartment|Apt.#=apartment|tel.=telephone|Tel.=telephone|
Jan.=January|Feb.=February|Mar.#=March|Apr.=April|Aug.=August|Sept.=September|Sep.=September|Oct.=October|Nov.=November|Dec.=December|
Mon.=Monday|Tue.=Tuesday|Tues.=Tuesday|Wed.=Wednesday|Thu.=Thursday|Thurs.=Thursday|Fri.=Friday|Sat.^=Saturday|ca.=circa|c.#=circa|cf.=compare|et al.=and others|etal.=and others|a.k.a.=also known as|aka=also known as|P.S.=P S|asap=as soon as possible|ASAP=as soon as possible|FAQ=F A Q|WWII=World War two|WWI=World War one|bldg.=building|Bldg.=building|Tab.#=table|ref.#=reference|Ref.=reference`,
  de: `c/o=care of|lit.§=Buchstabe|Buchst.§=Buchstabe|Ziff.§=Ziffer|Rn.#=Randnummer|Az.=Aktenzeichen|i.V.m.=in Verbindung mit|zw.=zwischen|z.Hd.=zu Händen|v.#=vom|Kl.#=Klasse|ct<=Cent|kWh=Kilowattstunde|z.B.=zum Beispiel|z.b.=zum Beispiel|d.h.=das heißt|u.a.=unter anderem|o.ä.=oder ähnliches|u.ä.=und ähnliches|i.d.R.=in der Regel|u.U.=unter Umständen|z.T.=zum Teil|z.Zt.=zurzeit|z.Z.=zurzeit|
v.a.=vor allem|s.o.=siehe oben|s.u.=siehe unten|i.A.=im Auftrag|o.g.=oben genannt|u.v.m.=und vieles mehr|usf.=und so fort|m.E.=meines Erachtens|n.Chr.=nach Christus|v.Chr.=vor Christus|a.D.=außer Dienst|a.M.=am Main|
e.V.=eingetragener Verein|i.V.=in Vertretung|p.a.=pro Jahr|o.Ä.=oder Ähnliches|u.Ä.=und Ähnliches|bzw.=beziehungsweise|ca.=zirka|usw.=und so weiter|etc.=et cetera|Nr.=Nummer|Std.=Stunden|inkl.=inklusive|exkl.=exklusive|zzgl.=zuzüglich|abzgl.=abzüglich|
MwSt.=Mehrwertsteuer|Mio.=Millionen|Mrd.=Milliarden|Tsd.=Tausend|Tel.=Telefon|ggf.=gegebenenfalls|ggü.=gegenüber|li.<=links|re.<=rechts|evtl.=eventuell|Abb.=Abbildung|Tab.#=Tabelle|vgl.=vergleiche|Vgl.=vergleiche|Dr.=Doktor|St.^=Sankt|Prof.=Professor|Dipl.-Ing.=Diplomingenieur|
Hr.=Herr|Hrn.=Herrn|Fr.^=Frau|Fa.=Firma|Bd.=Band|Kap.=Kapitel|S.>=Satz|S.#=Seite|Art.§=Artikel|Abs.§=Absatz|Aufl.=Auflage|Hrsg.=Herausgeber|geb.=geboren|gest.=gestorben|verh.=verheiratet|max.=maximal|min.=minimal|mind.=mindestens|
sog.=sogenannt|bspw.=beispielsweise|insb.=insbesondere|insbes.=insbesondere|gem.=gemäß|lt.=laut|jew.=jeweils|allg.=allgemein|urspr.=ursprünglich|ff.=folgende|f.<=folgende|Str.=Straße|str.=straße|Jh.=Jahrhundert|Jhd.=Jahrhundert|Jan.=Januar|Feb.=Februar|Apr.=April|Aug.=August|Sept.=September|Okt.=Oktober|Nov.=November|Dez.=Dezember|
Mo.=Montag|Di.=Dienstag|Mi.=Mittwoch|Sa.=Samstag|So.#=Sonntag|Ges.=Gesellschaft|Univ.=Universität|Verf.=Verfasser|Anm.=Anmerkung|d.J.=des Jahres|d.M.=des Monats|röm.=römisch|kath.=katholisch|ev.=evangelisch|tägl.=täglich|wöchentl.=wöchentlich|entspr.=entsprechend|Pkt.=Punkt|Stk.=Stück|Pl.<=Platz|Hbf.=Hauptbahnhof|Hbf=Hauptbahnhof|OG<=Obergeschoss|UG<=Untergeschoss|Zi.#=Zimmer|Bhf.=Bahnhof|GmbH=G m b H|Co.KG=Co K G|Co.=Co|med.^=med|phil.^=phil|jur.^=jur|rer.=rer|nat.^=nat|h.c.=ha ce|Pers.<=Personen|Ref.#=Referenz`,
  fr: `let.§=lettre|n°s#=numéros|c.àc.=cuillère à café|c.às.=cuillère à soupe|c.àcafé=cuillère à café|c.àsoupe=cuillère à soupe|St-=saint|Ste-=sainte|al.§=alinéa|M.^=monsieur|MM.=messieurs|Mme=madame|Mmes=mesdames|Mlle=mademoiselle|Mlles=mesdemoiselles|Mgr=monseigneur|Dr=docteur|Dr.=docteur|Dre=docteure|Pr^=professeur|Me^=maître|St^=saint|Ste^=sainte|n°=numéro|N°=numéro|nº=numéro|no#=numéro|pers.<=personnes|arr.<=arrondissement|cts<=centimes|nos#=numéros|
p.ex.=par exemple|p.#=page|pp.#=pages|env.=environ|etc.=et cetera|c.-à-d.=c'est-à-dire|c-à-d=c'est-à-dire|cf.=confer|av.J.-C.=avant Jésus-Christ|apr.J.-C.=après Jésus-Christ|av.^=avenue|bd^=boulevard|bd.^=boulevard|boul.=boulevard|
tél.=téléphone|Tél.=téléphone|art.#=article|chap.=chapitre|vol.#=volume|t.#=tome|fig.#=figure|éd.=édition|max.=maximum|min.=minimum|s.v.p.=s'il vous plaît|SVP=s'il vous plaît|svp=s'il vous plaît|janv.=janvier|févr.=février|avr.=avril|juil.=juillet|sept.=septembre|oct.=octobre|nov.=novembre|déc.=décembre|
lun.=lundi|mar.#=mardi|mer.#=mercredi|jeu.#=jeudi|ven.=vendredi|sam.#=samedi|dim.#=dimanche|qq.=quelques|qqn=quelqu'un|qqch=quelque chose|tjs=toujours|bcp=beaucoup|pdt=pendant|Cie=compagnie|Sté=société|dép.=département|hab.=habitants|ch.#=chapitre|qté=quantité|rdv=rendez-vous|RDV=rendez-vous|adj.=adjectif|dir.=direction|resp.=responsable|univ.=université|gén.^=général|P.-S.=post-scriptum|id.=idem|ibid.=ibidem|M^=monsieur|pl.^=place|r.^=rue|réf.=référence|Réf.=référence|bât.=bâtiment|Bât.=bâtiment`,
  es: `inc.§=inciso|apdo.§=apartado|p.ej.=por ejemplo|P.ej.=por ejemplo|EE.UU.=Estados Unidos|EEUU=Estados Unidos|EE.UU=Estados Unidos|Sr.=señor|Sra.=señora|Srta.=señorita|Sres.=señores|Sras.=señoras|Dr.=doctor|Dra.=doctora|Dres.=doctores|D.^=don|D.ª=doña|Dña.=doña|Ud.=usted|Uds.=ustedes|Vd.=usted|Vds.=ustedes|
n.º=número|N.º=número|nº=número|núm.=número|s.#=siglo|ss.#=siglos|cdta.=cucharadita|cda.=cucharada|cts.<=céntimos|cts<=céntimos|Núm.=número|pág.=página|Pág.=página|págs.=páginas|p.#=página|pp.#=páginas|cap.=capítulo|Cap.=capítulo|caps.#=capítulos|vol.#=volumen|art.#=artículo|fig.#=figura|etc.=etcétera|aprox.=aproximadamente|a.C.=antes de Cristo|d.C.=después de Cristo|
tel.=teléfono|Tel.=teléfono|tfno.=teléfono|Tfno.=teléfono|Avda.=avenida|Av.^=avenida|C/=calle|c/=calle|Pza.=plaza|Plza.=plaza|P.º=paseo|Ctra.=carretera|dcha.=derecha|izda.=izquierda|izq.=izquierda|Prof.=profesor|Profa.=profesora|Lic.=licenciado|Ing.^=ingeniero|Arq.^=arquitecto|Gral.=general|Sto.^=santo|Sta.^=santa|S.^=san|
máx.=máximo|mín.=mínimo|Cía.=compañía|Ltda.=limitada|dpto.=departamento|Dpto.=departamento|ed.#=edición|ed.<=edición|lun.=lunes|mar.#=martes|mié.=miércoles|jue.=jueves|vie.=viernes|sáb.=sábado|dom.#=domingo|incl.=incluido|ej.=ejemplo|admón.=administración|Admón.=administración|q.e.p.d.=que en paz descanse|P.D.=posdata|JJ.OO.=Juegos Olímpicos|RR.HH.=recursos humanos|CC.OO.=Comisiones Obreras|FF.AA.=Fuerzas Armadas|prov.=provincia|kms=kilómetros|
ene.=enero|feb.=febrero|abr.=abril|jun.=junio|jul.=julio|ago.=agosto|sept.=septiembre|oct.=octubre|nov.=noviembre|dic.=diciembre|vs.=versus|cf.=compárese|ss.=siguientes|s.f.=sin fecha|s.n.=sin número|s/n=sin número|i.e.=es decir|e.g.=por ejemplo|b.ª=bis|M.ª=María|pta.=puerta|Fdo.=firmado|atte.=atentamente|Excmo.=excelentísimo|Ilmo.=ilustrísimo|a.m.=a eme|p.m.=pe eme|ref.=referencia|Ref.=referencia|edif.=edificio|Edif.=edificio|temp.=temperatura`,
  it: `lett.§=lettera|par.§=paragrafo|D.Lgs.=decreto legislativo|sig.=signor|Sig.=signor|sig.ra=signora|Sig.ra=signora|sig.na=signorina|Sig.na=signorina|sigg.=signori|dott.=dottor|Dott.=dottor|dott.ssa=dottoressa|Dott.ssa=dottoressa|prof.=professor|Prof.=professor|prof.ssa=professoressa|Prof.ssa=professoressa|ing.^=ingegner|Ing.^=ingegner|avv.=avvocato|Avv.=avvocato|arch.^=architetto|geom.^=geometra|n°=numero|n.#=numero|nr.#=numero|ecc.=eccetera|p.es.=per esempio|ad es.=ad esempio|ades.=ad esempio|es.=esempio|ca.=circa|pag.=pagina|pagg.=pagine|p.#=pagina|cap.=capitolo|vol.#=volume|art.#=articolo|fig.#=figura|tel.=telefono|Tel.=telefono|a.C.=avanti Cristo|d.C.=dopo Cristo|P.zza=piazza|p.zza=piazza|V.le=viale|v.le=viale|C.so=corso|c.so=corso|S.^=san|max.=massimo|min.=minimo|gen.#=gennaio|s.r.l.=società a responsabilità limitata|S.p.A.=società per azioni|on.^=onorevole|c.m.=corrente mese|u.s.=ultimo scorso|vs.=contro|cfr.=confronta|ed.#=edizione|spett.=spettabile|Spett.=spettabile|all.=allegato|min.#=minuti`,
  pt: `al.§=alínea|inc.#=inciso|ap.#=apartamento|Sr.=senhor|Sra.=senhora|Srta.=senhorita|Srs.=senhores|Sras.=senhoras|Dr.=doutor|Dra.=doutora|Drs.=doutores|Prof.=professor|Profa.=professora|Prof.ª=professora|Eng.^=engenheiro|n.º=número|nº=número|N.º=número|p.ex.=por exemplo|P.ex.=por exemplo|ex.=exemplo|etc.=et cetera|aprox.=aproximadamente|pág.=página|págs.=páginas|p.#=página|cap.=capítulo|vol.#=volume|art.#=artigo|fig.#=figura|tel.=telefone|Tel.=telefone|Av.^=avenida|R.^=rua|Pça.=praça|Ltda.=limitada|Cia.=companhia|a.C.=antes de Cristo|d.C.=depois de Cristo|máx.=máximo|mín.=mínimo|depto.=departamento|ed.#=edição|obs.=observação|Obs.=observação|séc.=século|V.Ex.ª=Vossa Excelência|D.^=dom|Sto.^=santo|Sta.^=santa|S.^=são|jan.=janeiro|fev.=fevereiro|abr.=abril|ago.=agosto|set.#=setembro|out.#=outubro|nov.=novembro|dez.#=dezembro|EUA=Estados Unidos|cf.=confira|km/h.=quilômetros por hora|incl.=incluindo|gov.=governo|min.=mínimo`,
  nl: `dhr.=de heer|Dhr.=de heer|mevr.=mevrouw|Mevr.=mevrouw|mw.=mevrouw|Mw.=mevrouw|dr.=doctor|Dr.=doctor|prof.=professor|Prof.=professor|drs.=doctorandus|ir.^=ingenieur|ing.^=ingenieur|mr.^=meester|bijv.=bijvoorbeeld|bv.=bijvoorbeeld|d.w.z.=dat wil zeggen|o.a.=onder andere|m.a.w.=met andere woorden|i.p.v.=in plaats van|t/m=tot en met|enz.=enzovoort|etc.=et cetera|ca.=circa|nr.=nummer|Nr.=nummer|blz.=bladzijde|p.#=pagina|hfst.=hoofdstuk|art.#=artikel|afb.=afbeelding|fig.#=figuur|tel.=telefoon|Tel.=telefoon|incl.=inclusief|excl.=exclusief|max.=maximaal|min.=minimaal|a.u.b.=alstublieft|m.b.t.=met betrekking tot|n.a.v.=naar aanleiding van|t.o.v.=ten opzichte van|t.a.v.=ter attentie van|z.s.m.=zo snel mogelijk|a.s.=aanstaande|j.l.=jongstleden|i.v.m.=in verband met|o.l.v.=onder leiding van|v.Chr.=voor Christus|n.Chr.=na Christus|resp.=respectievelijk|evt.=eventueel|vgl.=vergelijk|St.^=Sint|str.=straat|jan.=januari|feb.=februari|apr.=april|aug.=augustus|sept.=september|okt.=oktober|nov.=november|dec.=december|jr.=junior|sr.=senior|mln.=miljoen|mld.=miljard`,
  pl: `lit.§=litera|ust.§=ustęp|pkt§=punkt|pkt.<=punktów|poz.#=pozycja|Dz.U.=Dziennik Ustaw|np.=na przykład|Np.=na przykład|m.in.=między innymi|itd.=i tak dalej|itp.=i tym podobne|tzn.=to znaczy|tj.=to jest|tzw.=tak zwany|ok.=około|nr=numer|Nr=numer|str.#=strona|s.#=strona|ul.=ulica|Ul.=ulica|al.^=aleja|pl.^=plac|os.^=osiedle|dr=doktor|Dr=doktor|prof.=profesor|Prof.=profesor|inż.=inżynier|mgr=magister|Mgr=magister|p.^=pan|tel.=telefon|Tel.=telefon|godz.=godzina|min.=minut|sek.=sekund|wg=według|woj.=województwo|św.=święty|Św.=święty|r.<=roku|r.=roku|rozdz.=rozdział|art.#=artykuł|rys.#=rysunek|tab.#=tabela|mln=milionów|mld=miliardów|tys.=tysięcy|zob.=zobacz|por.=porównaj|ds.=do spraw|pt.=pod tytułem|ur.=urodzony|zm.=zmarły|p.n.e.=przed naszą erą|n.e.=naszej ery|im.=imienia|ww.=wyżej wymieniony|jw.=jak wyżej|cdn.=ciąg dalszy nastąpi|max.=maksymalnie|maks.=maksymalnie|min.#=minimum|kpt.=kapitan|gen.=generał|płk=pułkownik|lek.=lekarz|red.=redaktor|wyd.=wydanie|b.r.=bieżącego roku|br.=bieżącego roku`,
  ru: `лит.§=литера|абз.#=абзац|т.е.=то есть|т.д.=так далее|т.п.=тому подобное|т.к.=так как|т.н.=так называемый|т.о.=таким образом|и т.д.=и так далее|др.=другие|пр.=прочее|см.=смотри|напр.=например|г.^=город|г.<=года|гг.=годы|в.<=век|вв.=века|ул.=улица|пр-т=проспект|пл.^=площадь|д.#=дом|кв.#=квартира|стр.#=страница|с.#=страница|рис.#=рисунок|табл.#=таблица|гл.#=глава|ст.#=статья|п.#=пункт|им.=имени|проф.=профессор|акад.=академик|д-р=доктор|г-н=господин|г-жа=госпожа|руб.=рублей|коп.=копеек|тыс.=тысяч|млн=миллионов|млрд=миллиардов|ок.=около|тел.=телефон|Тел.=телефон|обл.=область|р-н=район|мин.=минут|сек.=секунд|ч.#=часть|до н.э.=до нашей эры|н.э.=нашей эры|макс.=максимум|род.=родился|ред.=редактор|изд.=издание|ср.=сравни|чел.=человек|шт.=штук|экз.=экземпляров|св.=святой|кн.=книга|б-р=бульвар|наб.=набережная|пер.=переулок|ш.<=шоссе|№=номер`,
  tr: `m.#=madde|Md.#=madde|f.#=fıkra|Dr.=doktor|Prof.=profesör|Doç.=doçent|Av.^=avukat|Sn.=sayın|vb.=ve benzeri|vs.=vesaire|örn.=örneğin|Örn.=örneğin|yy.=yüzyıl|bkz.=bakınız|Bkz.=bakınız|No.#=numara|no.#=numara|No:#=numara|s.#=sayfa|sf.=sayfa|Cad.=caddesi|Sok.=sokak|Mah.=mahallesi|Apt.=apartmanı|Tel.=telefon|tel.=telefon|M.Ö.=milattan önce|M.S.=milattan sonra|Ltd.=limited|Şti.=şirketi|A.Ş.=anonim şirketi|T.C.=Türkiye Cumhuriyeti|Yrd.=yardımcı|Öğr.=öğretim|Gör.=görevlisi|Müh.=mühendis|Ort.=ortalama|ort.=ortalama|maks.=maksimum|min.=minimum|dk.=dakika|sn.=saniye|Sok.=sokak|Blv.=bulvarı|Hst.=hastanesi|Üniv.=üniversitesi|vd.=ve diğerleri|çev.=çeviren|haz.=hazırlayan|Alm.=Almanca|İng.=İngilizce|Fr.=Fransızca|Gen.^=general|Alb.^=albay|Yzb.^=yüzbaşı|krş.=karşılaştırınız|age.=adı geçen eser|TL=lira`,
};

/** Abbreviations that often end a sentence: a capital letter after them begins the next one. */
const CLOSING = new Set(
  'etc. usw. ecc. enz. itd. itp. usf. u.v.m. a.m. p.m. vb. inc. ltd. co. jr. n.chr. v.chr. a.c. d.c.'.split(' '),
);

interface Abbreviation {
  readonly words: string;
  /** Offset after it in the text. */
  readonly end: number;
  /** True when a sentence may end with it. */
  readonly closes: boolean;
}

/** Finds abbreviations of one language. */
export interface Abbreviations {
  /** The longest one at an offset of the text whose condition holds. `before` is the token before it. */
  find(text: string, at: number, before: string | undefined): Abbreviation | undefined;
}

/** Maximum characters of an abbreviation with its spaces. */
const LONGEST = 24;

/** The abbreviations of a language (`de`); none for other languages. */
export function createAbbreviations(language: string): Abbreviations {
  const table = new Map<string, { condition: string; words: string }[]>();
  for (const entry of (LISTS[language] ?? '').split('|')) {
    const [written = '', words = ''] = entry.trim().split('=');
    const [condition = ''] = /[#^<>§]{0,2}$/u.exec(written) ?? [];
    const spelling = written.slice(0, written.length - condition.length).replaceAll(' ', '');
    table.set(spelling, [...(table.get(spelling) ?? []), { condition, words }]);
  }
  // Most words begin like no abbreviation, so that the search below is rare.
  const beginnings = new Set([...table.keys()].map((key) => key.slice(0, 2).toLowerCase()));
  return {
    find(text, at, before) {
      const window = text.slice(at, at + LONGEST);
      const beginning = window.replace(/\s/gu, '').slice(0, 2).toLowerCase();
      if (!beginnings.has(beginning) && !beginnings.has(beginning.slice(0, 1))) return undefined;
      const first = window[0] ?? '';
      for (let end = window.length; end > 0; end--) {
        if (/[\p{L}\p{N}\s]/u.test(window[end - 1]!) && /[\p{L}\p{N}]/u.test(text[at + end] ?? ' ')) continue;
        const written = window.slice(0, end);
        if (/\s$/u.test(written) || /[\n\r]/u.test(written)) continue;
        const key = written.replace(/\s/gu, '');
        const entries =
          table.get(key) ??
          (key.length > 2 && before === undefined ? table.get(first.toLowerCase() + key.slice(1)) : undefined);
        // A single letter after an initial is also an initial: `J. R. Dupont`.
        if (key.length === 2 && /^\p{Lu}\.$/u.test(before ?? '')) continue;
        const rest = text.slice(at + end, at + end + 12);
        const behind = text.slice(Math.max(0, at - 14), at);
        const found = entries?.find(({ condition }) =>
          [...condition].every((sign) => isMet(sign, { rest, before, behind })),
        );
        if (found)
          return {
            words: found.words,
            end: at + end,
            closes: found.condition === '' && CLOSING.has(key.toLowerCase()),
          };
      }
      return undefined;
    },
  };
}

function isMet(
  condition: string,
  { rest, before, behind }: { rest: string; before: string | undefined; behind: string },
): boolean {
  switch (condition) {
    case '#':
      return /^\s{0,2}(?:\d|[IVXLC]{1,6}\b)/u.test(rest);
    case '§':
      return /^\s{0,2}(?:\d|[IVXLC]{1,6}\b|\p{L}(?![\p{L}\p{N}.'’]))/u.test(rest);
    case '^':
      return /^\s{1,2}(?:\p{Lu}|d[eu]s? |von |van |le |la |et )/u.test(rest);
    case '>':
      return /Abs(?:\.|atz)\s\d{1,3}\p{L}?\s$/u.test(behind);
    case '<':
      return /^(?:\p{Lu}|\d)/u.test(before ?? '');
    default:
      return true;
  }
}
