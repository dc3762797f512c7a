export default async (req: Request): Promise<Response> => {
  return new Response(req.url);
};
