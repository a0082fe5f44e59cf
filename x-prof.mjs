import { launch, openServer, signedIn } from './bench/console/stage.js';
import { measureDragging, measureInteractions } from './bench/console/editing.js';
const server = await openServer();
const browser = await launch();
const { session } = await signedIn(browser, server);
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
await context.addCookies(session);
context.on('page', async (page) => {
  const cdp = await context.newCDPSession(page);
  await cdp.send('Profiler.enable'); await cdp.send('Profiler.setSamplingInterval',{interval:500});
  page.on('framenavigated', ()=>{});
  page._cdp=cdp;
  
  const close=page.close.bind(page);
  page.close=async()=>{ const r=await cdp.send('Profiler.stop').catch(e=>null);
    if(r){const {profile}=r; const self=new Map(); const byId=new Map(profile.nodes.map(n=>[n.id,n]));
      profile.samples.forEach((id,i)=>{const n=byId.get(id); const k=n.callFrame.functionName+' '+n.callFrame.url.split('/').pop()+':'+n.callFrame.lineNumber+':'+n.callFrame.columnNumber; self.set(k,(self.get(k)||0)+profile.timeDeltas[i]/1000);});
      const total=(profile.endTime-profile.startTime)/1000;
      console.log('total',total.toFixed(0)); console.log([...self].sort((a,b)=>b[1]-a[1]).slice(0,22).map(([k,v])=>v.toFixed(0)+' '+k).join('\n'));}
    return close();};
});
console.log(await measureDragging(context, server));
if (process.argv[2]) console.log(await measureInteractions(context, server));
await browser.close(); await server.close();
